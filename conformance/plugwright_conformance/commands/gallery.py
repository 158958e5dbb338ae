"""``plugwright gallery``: generate a static site of valid certificates."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright.cli import Command, ExitCode, add_json, write_json
from plugwright_conformance.evidence.named_file import read_named

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from plugwright_conformance.gallery import GalleryEntry, LeftOut

__all__ = ["GALLERY"]

_FORMAT = "plugwright-gallery-run/1"
_EXAMPLES = """\
examples:
  plugwright gallery build/certification --trust orders-inc.pub --output site
  plugwright gallery a/certificate.json b/certificate.json --trust a.pub --trust b.pub \\
      --title "Certified by the programme" --output site

exit status: 0 all are shown, 4 some were left out, 2 a file cannot be read, 1 wrong usage
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "certificates",
        metavar="CERTIFICATE",
        type=Path,
        nargs="+",
        help="certificate.json, or a directory with such files at any depth; a results.json in "
        "the same directory adds the report",
    )
    parser.add_argument(
        "--trust",
        metavar="KEY.pub",
        type=Path,
        action="append",
        required=True,
        help="a publisher's public key; its file name is the publisher's name; repeatable",
    )
    parser.add_argument(
        "--output", metavar="SITE", type=Path, required=True, help="the directory to write"
    )
    parser.add_argument(
        "--title", default="Certified connectors", help="heading (default: Certified connectors)"
    )
    parser.add_argument(
        "--errata", metavar="FILE", type=Path, help="a signed list of revoked check revisions"
    )
    add_json(parser)


def _run(arguments: argparse.Namespace) -> int:
    from plugwright_conformance.certificate import (  # noqa: PLC0415  # after --help
        installed_suite,
        load_public_key,
    )
    from plugwright_conformance.gallery import (  # noqa: PLC0415  # after --help
        Publisher,
        collect,
        write_gallery,
    )

    publishers = [Publisher(path.stem, load_public_key(path)) for path in arguments.trust]
    hint = "name an existing, readable file"
    errata = arguments.errata and read_named(arguments.errata, "certificate.unreadable", hint)
    shown, left_out = collect(
        arguments.certificates, publishers, installed_suite(), datetime.now(UTC), errata
    )
    write_gallery(shown, arguments.output, arguments.title)
    if arguments.json:
        write_json(_document(shown, left_out, arguments.output), sys.stdout)
    else:
        sys.stdout.write(_as_text(shown, left_out, arguments.output))
    return ExitCode.FOUND if left_out else ExitCode.DONE


def _document(
    shown: Sequence[GalleryEntry], left_out: Sequence[LeftOut], site: Path
) -> dict[str, object]:
    return {
        "format": _FORMAT,
        "left_out": [
            {"path": str(each.path), "reason": each.reason, "rule": each.rule} for each in left_out
        ],
        "shown": [{"directory": each.directory, "path": str(each.path)} for each in shown],
        "site": str(site),
    }


def _as_text(shown: Sequence[GalleryEntry], left_out: Sequence[LeftOut], site: Path) -> str:
    from plugwright_conformance.report import one_line  # noqa: PLC0415  # after --help

    rows = [("shown", _named(each)) for each in shown]
    rows += [("left out", f"{each.path}: {each.rule}: {each.reason}") for each in left_out]
    rows.append(("written", str(site / "index.html")))
    return "".join(f"{label:<10}{one_line(text)}\n" for label, text in rows)


def _named(entry: GalleryEntry) -> str:
    plugin, level = entry.predicate.plugin, entry.level
    return f"{plugin.name} {plugin.version}, {level.name} {level.title}"


GALLERY = Command(
    name="gallery",
    summary="generate a static site of valid certificates",
    epilog=_EXAMPLES,
    configure=_configure,
    run=_run,
)
