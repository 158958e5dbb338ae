"""The worker's standard input in task hosts: Spark gives its Python workers none."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_VARIABLE = "PLUGWRIGHT_STDIN"


def input_variables(master: str) -> Mapping[str, str]:
    """What tells task hosts where the standard input of this process is; nothing for a cluster.

    Args:
        master: Spark's; the path means something on this machine alone.
    """
    place = f"/proc/{os.getpid()}/fd/0"
    if not master.startswith("local") or master.startswith("local-cluster"):
        return {}
    return {_VARIABLE: place} if os.path.lexists(place) else {}


def take_input() -> None:
    """Make the worker's standard input that of this process, if it can be had."""
    # Without waiting for who writes to it; a socket cannot be opened, and stays away.
    with suppress(OSError, KeyError):
        descriptor = os.open(os.environ[_VARIABLE], os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        os.set_blocking(descriptor, True)
        os.dup2(descriptor, 0)
        os.close(descriptor)
