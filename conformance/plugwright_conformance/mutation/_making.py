"""Generates the mutants of a connector: every edit that changes its bytecode."""

from __future__ import annotations

import difflib
import hashlib
import shutil
import warnings
from dataclasses import dataclass
from types import CodeType
from typing import TYPE_CHECKING, Any

from plugwright_conformance.mutation.module_code import ModuleCode
from plugwright_toolkit.record import edit_record

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from pathlib import Path

    from plugwright_conformance.mutation.mutation_operator import Operator

__all__ = ["CodeMutant", "mutants_of", "own_modules"]

_SECRET = "ConfigType.PASSWORD"  # noqa: S105  # a type, not a password
_CONTEXT = 2


@dataclass(frozen=True, slots=True)
class CodeMutant:
    """A connector with one fault.

    Attributes:
        module: the file, below the location.
        operator: name of what made it.
        line: where it begins.
        before: the file as it is.
        after: the file with the fault.
    """

    module: str
    operator: str
    line: int
    before: str
    after: str

    @property
    def id(self) -> str:
        """Identifies it, as long as the module does not change."""
        identity = f"{self.module}\n{self.operator}\n{self.before}\n{self.after}"
        return hashlib.sha256(identity.encode()).hexdigest()[:16]

    @property
    def diff(self) -> str:
        """The change as a unified diff."""
        lines = difflib.unified_diff(
            self.before.splitlines(keepends=True),
            self.after.splitlines(keepends=True),
            f"a/{self.module}",
            f"b/{self.module}",
            n=_CONTEXT,
        )
        return "".join(lines)

    @property
    def lines(self) -> tuple[str, str]:
        """The lines that are gone and those that are new, without what stands around them."""
        rows = [row for row in self.diff.splitlines()[2:] if row[:1] in {"-", "+"}]
        gone, new = ([row[1:].strip() for row in rows if row[0] == sign] for sign in "-+")
        return " ".join(gone), " ".join(new)

    def materialise(self, location: Path, target: Path) -> None:
        """Make it a location of its own, whose ``RECORD`` is right.

        Args:
            location: the good connector.
            target: a directory that is not there yet.
        """
        shutil.copytree(location, target, ignore=shutil.ignore_patterns("__pycache__"))
        changed = self.after.encode()
        (target / self.module).write_bytes(changed)
        for record in target.glob("*.dist-info/RECORD"):
            record.write_bytes(edit_record(record.read_bytes(), {self.module: changed}))


def own_modules(location: Path, drivers: Collection[str]) -> Sequence[str]:
    """The modules of a connector, below its location.

    Args:
        location: where it is.
        drivers: modules of endpoint drivers, which belong to the tests.
    """
    found = (path.relative_to(location) for path in sorted(location.rglob("*.py")))
    names = {path.as_posix(): ".".join(path.with_suffix("").parts) for path in found}
    return [path for path, name in names.items() if name not in drivers]


def mutants_of(
    location: Path, modules: Sequence[str], operators: Sequence[Operator]
) -> Sequence[CodeMutant]:
    """Every mutant, in the order of modules, lines and operators.

    What cannot be compiled is none, and of those with the same bytecode the first one counts.
    """
    texts = {name: (location / name).read_bytes().decode() for name in modules}
    secretive = any(_SECRET in text for text in texts.values())
    made = [
        mutant
        for name, text in texts.items()
        for mutant in _mutants(name, ModuleCode(text, secretive), operators)
    ]
    places = {name: number for number, name in enumerate(modules)}
    rank = {each.name: number for number, each in enumerate(operators)}
    return sorted(made, key=lambda m: (places[m.module], m.line, rank[m.operator]))


def _mutants(name: str, code: ModuleCode, operators: Sequence[Operator]) -> Iterator[CodeMutant]:
    seen = {_meaning(code.text)}
    for operator in operators:
        for edits in operator.propose(code):
            after = code.edited(edits)
            meaning = _meaning(after)
            if meaning is not None and meaning not in seen:
                seen.add(meaning)
                yield CodeMutant(name, operator.name, code.line_of(edits), code.text, after)


def _meaning(text: str) -> str | None:
    """The bytecode of a text without line numbers; ``None`` if it does not compile."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return hashlib.sha256(_essence(compile(text, "module", "exec")).encode()).hexdigest()
    except SyntaxError:
        return None


def _essence(part: Any) -> str:
    if not isinstance(part, CodeType):
        inner = map(_essence, part) if isinstance(part, tuple) else None
        return f"({','.join(inner)})" if inner else f"{type(part).__name__} {part!r}"
    facts = (
        part.co_name,
        part.co_flags,
        part.co_code.hex(),
        part.co_exceptiontable.hex(),
        part.co_names,
        part.co_varnames,
        part.co_freevars,
        part.co_cellvars,
        part.co_argcount,
        part.co_kwonlyargcount,
    )
    return f"{facts!r} {_essence(part.co_consts)}"
