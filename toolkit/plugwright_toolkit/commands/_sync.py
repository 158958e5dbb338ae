"""``plugin-path sync-manifests``: makes manifests match the loadable plugins."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright.cli import ExitCode, add_json, write_json
from plugwright_toolkit.commands._locations import add_providers, read_providers

if TYPE_CHECKING:
    import argparse

NAME = "sync-manifests"
SUMMARY = "write the manifests that plugins lack, and take out entries of plugins that are gone"
EXAMPLES = """\
Exit status: 0 done, also if there was nothing to do; 1 wrong usage; 2 refused or failed, with the
reason; 4 with --check, if there is something to do.

examples:
  connect-plugin-path sync-manifests --plugin-path plugin-path --dry-run
  connect-plugin-path sync-manifests --plugin-location plugin-path/legacy-sink --backup-dir backup
  connect-plugin-path sync-manifests --worker-config worker.properties --check
"""
_SWITCHES = {
    "--dry-run": "show what would be done, and whether it can be done; change nothing",
    "--check": "as --dry-run, and exit with status 4 if there is something to do",
    "--keep-not-found": "keep entries of plugins that cannot be loaded",
    "--shim": "write all new entries into a distribution of their own, edit no other",
    "--edit-unrecorded": "edit distributions without a RECORD, too",
    "--force-managed": "edit distributions of a system's package manager, too",
    "--invalidate-signatures": "edit signed artifacts, too; their signatures are dropped",
    "--in-use-ok": "change locations although a worker uses them",
    "--skip-unfixable": "go on past what can have no manifest, such as a single module",
    "--continue": "go on with the other locations when one cannot be changed",
}
_DIRECTORIES = {
    "--backup-dir": "copy what is changed there first",
    "--output-dir": "write changed archives there, leave the originals",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_providers(parser)
    for switch, meaning in _SWITCHES.items():
        parser.add_argument(switch, action="store_true", help=meaning)
    for option, meaning in _DIRECTORIES.items():
        parser.add_argument(option, metavar="DIRECTORY", type=Path, help=meaning)
    parser.add_argument(
        "--exclude",
        metavar="PATTERN",
        action="append",
        default=[],
        help="do not look into modules or files that fit, such as 'shop.tests*'; may be repeated",
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Synchronise; 2 if something was refused or failed, 4 if a check found something to do."""
    from plugwright_toolkit import manifests  # noqa: PLC0415  # after --help
    from plugwright_toolkit.output import fold, write  # noqa: PLC0415  # after --help

    locations, findings = read_providers(arguments).locations()
    options = manifests.SyncOptions(
        locations=tuple(locations),
        dry_run=arguments.dry_run,
        check=arguments.check,
        keep_not_found=arguments.keep_not_found,
        shim=arguments.shim,
        edit_unrecorded=arguments.edit_unrecorded,
        force_managed=arguments.force_managed,
        invalidate_signatures=arguments.invalidate_signatures,
        in_use_ok=arguments.in_use_ok,
        skip_unfixable=arguments.skip_unfixable,
        continue_=getattr(arguments, "continue"),
        backup_dir=arguments.backup_dir,
        output_dir=arguments.output_dir,
        exclude=tuple(arguments.exclude),
    )
    write("".join(f"{line}\n" for line in fold(findings)), sys.stderr)
    result = manifests.sync_manifests(options)
    if arguments.json:
        write_json(manifests.to_json(result), sys.stdout)
    else:
        write(manifests.render_text(result), sys.stdout)
    if result.failed:
        return ExitCode.EXPLAINED
    return ExitCode.FOUND if arguments.check and result.needed else ExitCode.DONE
