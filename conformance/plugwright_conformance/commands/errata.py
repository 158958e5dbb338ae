"""``plugwright errata``: sign the list of withdrawn check revisions."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plugwright.cli import Command, ExitCode, add_json, write_json
from plugwright.errors import ConnectError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from plugwright_conformance.certificate import Erratum

__all__ = ["ERRATA"]

_FORMAT = "plugwright-errata-list/1"
_FIELDS: Mapping[str, type] = {"id": str, "revision": int, "effect": str}
_EXAMPLES = """\
examples:
  plugwright errata errata.toml --key issuer.key --output errata.json
  plugwright verify certificate.json --trust issuer.pub --errata errata.json

errata.toml has one table per withdrawn revision of a check:
  [[erratum]]
  id = "SNK-OFF-02"
  revision = 1
  effect = "passed sinks that commit beyond a failed write"
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("list", metavar="FILE.toml", type=Path, help="the [[erratum]] tables")
    parser.add_argument(
        "--key", metavar="FILE", type=Path, required=True, help="the private key that signs"
    )
    parser.add_argument(
        "--output", metavar="FILE", type=Path, required=True, help="the signed list to write"
    )
    parser.add_argument("--dry-run", action="store_true", help="show the list and write nothing")
    add_json(parser)


def _run(arguments: argparse.Namespace) -> int:
    from plugwright_conformance.certificate import (  # noqa: PLC0415  # after --help
        load_signing_key,
        write_errata,
    )
    from plugwright_conformance.checks import CHECKS  # noqa: PLC0415  # after --help

    known = {check.id: check.revision for check in CHECKS}
    errata = _read(arguments.list, known)
    key = load_signing_key(arguments.key)
    if not arguments.dry_run:
        _write(arguments.output, write_errata(errata, key))
    if arguments.json:
        rows = [{"effect": e.effect, "id": e.id, "revision": e.revision} for e in errata]
        document = {"errata": rows, "format": _FORMAT, "written": not arguments.dry_run}
        write_json(document | {"signed_by": key.public.fingerprint}, sys.stdout)
        return ExitCode.DONE
    for erratum in errata:
        sys.stdout.write(f"revoked    {erratum.id} revision {erratum.revision}: {erratum.effect}\n")
    sys.stdout.write(f"signed by  {key.public.fingerprint}\n")
    done = "would be written to" if arguments.dry_run else "written to"
    sys.stdout.write(f"{done} {arguments.output}\n")
    return ExitCode.DONE


def _read(file: Path, known: Mapping[str, int]) -> Sequence[Erratum]:
    try:
        document = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise _refused(file, f"it cannot be read: {error}") from error
    tables = document.get("erratum")
    if not isinstance(tables, list) or not tables or document.keys() != {"erratum"}:
        raise _refused(file, "it must consist of [[erratum]] tables")
    return [_erratum(file, table, known) for table in tables]


def _erratum(file: Path, table: Any, known: Mapping[str, int]) -> Erratum:
    from plugwright_conformance.certificate import Erratum  # noqa: PLC0415  # after --help

    if not isinstance(table, dict) or table.keys() != _FIELDS.keys():
        raise _refused(file, f"an erratum has exactly {', '.join(_FIELDS)}")
    for name, kind in _FIELDS.items():
        if type(table[name]) is not kind or not table[name]:
            wanted = "a number above zero" if kind is int else "text"
            raise _refused(file, f"{name} must be {wanted}, found {table[name]!r}")
    erratum = Erratum(**table)
    if not 1 <= erratum.revision <= known.get(erratum.id, 0):
        raise _refused(
            file, f"no release of the suite had {erratum.id} in revision {erratum.revision}"
        )
    return erratum


def _write(file: Path, data: bytes) -> None:
    """Write the list atomically."""
    staged = file.with_name(f".{file.name}.staged")
    try:
        staged.write_bytes(data)
        staged.replace(file)
    except OSError as error:
        raise _refused(file, f"it cannot be written: {error.strerror}") from error


def _refused(file: Path, reason: str) -> ConnectError:
    return ConnectError(
        f"no errata can be signed with {file}: {reason}",
        code="errata.invalid",
        hint="see the example in: plugwright errata --help",
        facts={"path": str(file), "reason": reason},
    )


ERRATA = Command(
    name="errata",
    summary="sign the list of withdrawn check revisions",
    epilog=_EXAMPLES,
    configure=_configure,
    run=_run,
)
