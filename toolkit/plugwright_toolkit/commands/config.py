"""``plugwright config``: prints sample property files, named as in Kafka's distribution."""

from __future__ import annotations

import sys
from importlib.resources import files
from typing import TYPE_CHECKING

from plugwright.cli import Command, ExitCode, completed_by
from plugwright.errors import ConfigError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping
    from importlib.resources.abc import Traversable

__all__ = ["CONFIG", "ready_files"]

_EXAMPLES = """\
examples:
  plugwright config
  plugwright config connect-standalone > worker.properties
  plugwright config connect-file-source > lines.properties
"""
_SUFFIX = ".properties"


def ready_files() -> Mapping[str, Traversable]:
    """The files by their names without ``.properties``, sorted."""
    found = files("plugwright_toolkit").joinpath("config").iterdir()
    named = {each.name.removesuffix(_SUFFIX): each for each in found if _SUFFIX in each.name}
    return dict(sorted(named.items()))


def _configure(parser: argparse.ArgumentParser) -> None:
    name = parser.add_argument(
        "name", metavar="NAME", nargs="?", help="which file to print; without, list them"
    )
    completed_by(name, lambda _: ready_files())


def _run(arguments: argparse.Namespace) -> int:
    known = ready_files()
    if arguments.name is None:
        sys.stdout.write("".join(f"{name}\n" for name in known))
        return ExitCode.DONE
    name = arguments.name.removesuffix(_SUFFIX)
    found = known.get(name) or known.get(f"connect-{name}")
    if found is None:
        raise ConfigError(
            f"there is no bundled file {arguments.name}; expected one of {', '.join(known)}",
            code="config.no-such-file",
            hint="plugwright config lists them",
            facts={"name": arguments.name, "known": list(known)},
        )
    sys.stdout.write(found.read_text("utf-8"))
    return ExitCode.DONE


CONFIG = Command(
    name="config",
    summary="print a ready property file for a worker or a connector to begin with",
    epilog=_EXAMPLES,
    configure=_configure,
    run=_run,
)
