"""Gives task hosts the worker's standard input, because Spark's Python workers have none."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_VARIABLE = "PLUGWRIGHT_STDIN"


def input_variables(master: str) -> Mapping[str, str]:
    """The variable with the path of this process's standard input; empty for a cluster.

    Args:
        master: Spark's master; the path is only valid on this machine.
    """
    place = f"/proc/{os.getpid()}/fd/0"
    if not master.startswith("local") or master.startswith("local-cluster"):
        return {}
    return {_VARIABLE: place} if os.path.lexists(place) else {}


def take_input() -> None:
    """Replace the standard input with that of the worker, if possible."""
    # Without waiting for a writer; a socket cannot be opened, and is left out.
    with suppress(OSError, KeyError):
        descriptor = os.open(os.environ[_VARIABLE], os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        os.set_blocking(descriptor, True)
        os.dup2(descriptor, 0)
        os.close(descriptor)
