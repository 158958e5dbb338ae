"""``plugwright pack-environment``: the Python environment as an archive for executors."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from importlib.metadata import distributions
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plugwright.cli import Command, ExitCode, add_json, write_json
from plugwright.errors import SetupError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

__all__ = ["PACK_ENVIRONMENT", "pack_environment"]

_FORMAT = "plugwright-pack-environment/1"
_NAME = "environment"
_SPARKS_OWN = "lib/python*/site-packages/pyspark/*"
"""Every Spark installation has it, and it is larger than all the rest."""

_EPILOG = """\
Spark sends the archive to executors and unpacks it there. Executors need Spark, and Python of the
same minor version under the same path as here.

examples:
  plugwright pack-environment environment.tar.gz
  plugwright pack-environment environment.tar.gz --environment /opt/connect
"""


def pack_environment(environment: Path, output: Path) -> Path:
    """Pack a virtual environment, without pyspark.

    Args:
        environment: the virtual environment's directory.
        output: the archive to write, ``.tar.gz``.

    Raises:
        SetupError: if it is not a virtual environment, a distribution in it is editable, the file
            exists or cannot be written, or venv-pack2 is not installed.
    """
    try:
        import venv_pack  # noqa: PLC0415  # an extra
    except ImportError as error:
        raise SetupError(
            "packing an environment needs venv-pack2",
            code="environment.extra-missing",
            hint="pip install 'plugwright[cluster]'",
            facts={"extra": "cluster"},
        ) from error
    if editable := _editable(environment):
        raise _refused(
            environment,
            f"{', '.join(editable)} would be missing: an editable distribution is only a link",
            hint="install it from a wheel or a directory without --editable",
        )
    try:
        return Path(
            venv_pack.pack(
                prefix=str(environment), output=str(output), filters=[("exclude", _SPARKS_OWN)]
            )
        )
    except (venv_pack.VenvPackException, OSError) as error:
        hint = "name a virtual environment, and a new file in a directory that can be written"
        raise _refused(environment, str(error), hint=hint) from error


def _editable(environment: Path) -> Sequence[str]:
    """The names of distributions that an environment only links to (PEP 610)."""
    places = [str(each) for each in environment.glob("lib/python*/site-packages")]
    return sorted(found.metadata["Name"] for found in distributions(path=places) if _is_link(found))


def _is_link(distribution: Any) -> bool:
    with suppress(ValueError, TypeError):
        origin = json.loads(distribution.read_text("direct_url.json"))
        return bool(origin.get("dir_info", {}).get("editable"))
    return False


def _refused(environment: Path, why: str, *, hint: str) -> SetupError:
    return SetupError(
        f"the environment {environment} cannot be packed: {why}",
        code="environment.unpackable",
        hint=hint,
        facts={"environment": str(environment)},
    )


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("output", metavar="FILE", type=Path, help="the archive to write (.tar.gz)")
    parser.add_argument(
        "--environment",
        metavar="DIRECTORY",
        type=Path,
        default=Path(sys.prefix),
        help="the virtual environment to pack; the one of this command by default",
    )
    add_json(parser)


def _run(arguments: argparse.Namespace) -> int:
    packed = pack_environment(arguments.environment.resolve(), arguments.output.resolve())
    settings = {
        "spark.archives": f"{packed}#{_NAME}",
        "spark.pyspark.python": f"./{_NAME}/bin/python",
    }
    if arguments.json:
        write_json({"format": _FORMAT, "archive": str(packed), "settings": settings}, sys.stdout)
    else:
        lines = "".join(f"{key}={value}\n" for key, value in settings.items())
        sys.stdout.write(f"# settings of a worker whose executors use it:\n{lines}")
    return ExitCode.DONE


PACK_ENVIRONMENT = Command(
    name="pack-environment",
    summary="pack this Python environment for the executors of a cluster",
    epilog=_EPILOG,
    configure=_configure,
    run=_run,
)
