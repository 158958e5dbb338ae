"""``plugwright new``: creates a project that passes at once, or one around a legacy plugin."""

from __future__ import annotations

import sys
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from plugwright.cli import Command, ExitCode, add_json, completed_by, write_json

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from plugwright_toolkit.scaffold import Answers, LegacyProject

__all__ = ["NEW"]

_FORMAT = "plugwright-new/1"
_ANSWERS = ("name", "kind", "description", "author", "license", "delivery", "batches")
_HOLDS = {
    "source": "a source connector",
    "sink": "a sink connector",
    "both": "a source and a sink connector",
    "converter": "a converter",
    "transformation": "a transformation",
}
_EXAMPLES = """\
The command asks for what is not given; with --no-input it takes the default. A file of answers
is TOML, or JSON if its name ends in .json, with the keys name, kind, description, author, license,
delivery and batches.

examples:
  plugwright new
  plugwright new orders-sink --kind sink --no-input
  plugwright new --answers answers.toml --no-input --output-dir ~/src
  plugwright new orders-sink --kind sink --delivery exactly-once --no-input
  plugwright new orders-sink --kind sink --batches columns --no-input
  plugwright new --from-legacy plugin-path/legacy-sink
  plugwright new orders-sink --kind sink --no-input --json
  cookiecutter $(plugwright new --print-template)
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", nargs="?", help="name of the new distribution")
    kind = parser.add_argument("--kind", help="source, sink, both, converter or transformation")
    completed_by(kind, lambda _: _HOLDS)
    parser.add_argument("--description", metavar="TEXT", help="what it does, in one line")
    parser.add_argument("--author", metavar="TEXT", help="who writes it")
    parser.add_argument("--license", help="Apache-2.0, MIT, BSD-3-Clause or Proprietary")
    parser.add_argument(
        "--delivery", metavar="HOW", help="at-least-once (the default) or exactly-once"
    )
    parser.add_argument(
        "--batches", metavar="HOW", help="records (the default), or columns, for many small records"
    )
    parser.add_argument("--answers", metavar="FILE", type=Path, help="take answers from a file")
    parser.add_argument("--no-input", action="store_true", help="ask nothing, take the defaults")
    parser.add_argument(
        "--output-dir",
        metavar="DIR",
        type=Path,
        default=Path(),
        help="where to make the project's directory (default: here)",
    )
    parser.add_argument(
        "--from-legacy",
        metavar="PATH",
        type=Path,
        help="make a project around the plugins of a location that has no manifests",
    )
    parser.add_argument(
        "--print-template",
        action="store_true",
        help="print the directory of the template, for cookiecutter, and make nothing",
    )
    add_json(parser)
    parser.set_defaults(refuse=parser.error)


def _run(arguments: argparse.Namespace) -> int:
    if arguments.print_template:
        from plugwright_templates import template  # noqa: PLC0415  # after --help

        _say(arguments, f"{template()}\n", {"template": str(template())})
        return ExitCode.DONE
    if arguments.from_legacy is not None:
        return _from_legacy(arguments)
    from plugwright_toolkit.scaffold import complete_answers, generate  # noqa: PLC0415

    given = _given(arguments)
    ask = None if arguments.no_input else _ask_aside if arguments.json else input
    answers = complete_answers(given, arguments.output_dir, ask, _complain)
    target = generate(answers, arguments.output_dir)
    made = {"kind": answers.kind, "name": answers.name, "target": str(target)}
    _say(arguments, _report(answers, target), made)
    return ExitCode.DONE


def _given(arguments: argparse.Namespace) -> Mapping[str, str]:
    """The answers of the file, overridden by the command line."""
    from plugwright_toolkit.scaffold import checked_answers, read_answers  # noqa: PLC0415

    given = dict(read_answers(arguments.answers)) if arguments.answers else {}
    given |= {k: v for k in _ANSWERS if (v := getattr(arguments, k)) is not None}
    if arguments.no_input and "name" not in given:
        arguments.refuse("with --no-input a NAME is needed")
    return checked_answers(given)


def _say(arguments: argparse.Namespace, text: str, document: Mapping[str, object]) -> None:
    if arguments.json:
        write_json({"format": _FORMAT, **document}, sys.stdout)
    else:
        sys.stdout.write(text)


def _ask_aside(prompt: str) -> str:
    """Ask on standard error, because standard output belongs to the document."""
    sys.stderr.write(prompt)
    sys.stderr.flush()
    return input()


def _complain(problem: str) -> None:
    sys.stderr.write(f"{problem}\n")


def _report(answers: Answers, target: Path) -> str:
    """The created project, and the next steps."""
    from plugwright_templates import package_of  # noqa: PLC0415  # after --help

    part = _part(answers)
    lines = [
        f"{target} is {_HOLDS[answers.kind]} that works",
        "next:",
        f"  cd {quote(str(target))}",
        "  tox",
    ]
    if part in {"journal", "ledger"}:
        lines.append("  plugwright certify dist/*.whl")
    lines.append(f"then replace src/{package_of(answers.name)}/{part}.py by what you want it to do")
    return "".join(f"{line}\n" for line in lines)


def _part(answers: Answers) -> str:
    """The module to replace first."""
    if answers.kind not in {"source", "sink", "both"}:
        return answers.kind
    return "ledger" if (answers.kind, answers.delivery) == ("sink", "exactly-once") else "journal"


def _from_legacy(arguments: argparse.Namespace) -> int:
    from plugwright.plugins import location_at  # noqa: PLC0415  # after --help
    from plugwright_toolkit.scaffold import package_legacy  # noqa: PLC0415  # after --help

    if unused := [f"--{k}" for k in _ANSWERS[1:] if getattr(arguments, k) is not None]:
        arguments.refuse(f"not with --from-legacy: {', '.join(unused)}")
    if arguments.answers:
        arguments.refuse("not with --from-legacy: --answers")
    location, _ = location_at(arguments.from_legacy)
    made = package_legacy(location, arguments.output_dir, arguments.name)
    _say(arguments, _legacy_report(made), _legacy_document(made))
    return ExitCode.DONE


def _legacy_report(made: LegacyProject) -> str:
    from plugwright_toolkit.output import printable  # noqa: PLC0415  # after --help

    lines = [
        f"{made.target} is a project that declares",
        *(f"  {group}  {name}" for group, name in made.plugins),
        *(f"left out: {name} ({reason})" for name, reason in made.left_out),
        "next:",
        f"  cd {quote(str(made.target))}",
        "  tox",
    ]
    lines += [f"then {todo}" for todo in made.todo]
    return "".join(f"{printable(line)}\n" for line in lines)


def _legacy_document(made: LegacyProject) -> Mapping[str, object]:
    return {
        "left_out": [{"class": name, "reason": reason} for name, reason in made.left_out],
        "plugins": [{"class": name, "group": group} for group, name in made.plugins],
        "target": str(made.target),
        "todo": list(made.todo),
    }


NEW = Command(
    name="new",
    summary="make the project of a new plugin, or one around a plugin without manifests",
    epilog=_EXAMPLES,
    configure=_configure,
    run=_run,
)
