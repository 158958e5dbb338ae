"""Operators on batches: records lost, repeated, reordered, joined or cut."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from plugwright_conformance.mutation.mutation_operator import operator

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plugwright_conformance.mutation.module_code import Edits, ModuleCode

__all__ = ["OPERATORS"]

_ENTRIES = {"put", "open", "close"}


def _batches(code: ModuleCode) -> Iterator[ast.expr]:
    """The loops over batches."""
    for node in code.nodes:
        if isinstance(node, ast.For | ast.comprehension) and not _counts(node.iter):
            yield node.iter


def _counts(iterable: ast.expr) -> bool:
    """Whether it only counts, or goes through what the code itself lists."""
    return (
        isinstance(iterable, ast.Call)
        and isinstance(iterable.func, ast.Name)
        and iterable.func.id == "range"
    ) or isinstance(iterable, ast.Tuple | ast.List | ast.Set | ast.Dict)


def _everywhere(code: ModuleCode, made: str) -> Iterator[Edits]:
    """Change every batch that is gone through or handed over; ``{}`` is the batch."""
    for batch in _batches(code):
        yield code.replace(batch, made)
    for function in code.functions:
        names = [each.arg for each in function.args.args if each.arg != "self"]
        if function.name in _ENTRIES and len(names) == 1:
            text = made.replace("{}", names[0])
            yield code.at_entry(function, f"{names[0]} = {text}")
    for node in code.nodes:
        if isinstance(node, ast.Return) and node.value is not None and _is_batch(code, node):
            yield code.replace(node.value, f"(None if (_b := {{}}) is None else {_of(made)})")


def _of(made: str) -> str:
    return made.replace("{}", "_b")


def _is_batch(code: ModuleCode, node: ast.Return) -> bool:
    """Whether a function is annotated to return a sequence."""
    function = code.function_of(node)
    said = "" if function is None or function.returns is None else ast.unparse(function.returns)
    constant = isinstance(node.value, ast.Constant)
    return said.startswith(("Sequence[", "list[", "Iterator[", "Iterable[")) and not constant


@operator
def drop_first(code: ModuleCode) -> Iterator[Edits]:
    """Leaves the first of a batch out (erdemcer/kafka-connect-oracle#55)."""
    yield from _everywhere(code, "list({})[1:]")


@operator
def drop_last(code: ModuleCode) -> Iterator[Edits]:
    """Leaves the last of a batch out (streamthoughts/kafka-connect-file-pulse#667)."""
    yield from _everywhere(code, "list({})[:-1]")


@operator
def first_ten(code: ModuleCode) -> Iterator[Edits]:
    """Handles ten of a batch and takes it for all (redpanda-data/connect#713)."""
    yield from _everywhere(code, "list({})[:10]")


@operator
def repeat_last(code: ModuleCode) -> Iterator[Edits]:
    """Handles the last of a batch twice (jcustenborder/kafka-connect-spooldir#40)."""
    yield from _everywhere(code, "(lambda b: b + b[-1:])(list({}))")


@operator
def swap_first(code: ModuleCode) -> Iterator[Edits]:
    """Handles the second of a batch before the first (hpgrahsl/kafka-connect-mongodb#98)."""
    yield from _everywhere(code, "(lambda b: b[1:2] + b[:1] + b[2:])(list({}))")


@operator
def last_of_equals(code: ModuleCode) -> Iterator[Edits]:
    """Takes equal ones for one (confluentinc/kafka-connect-storage-cloud#846: by key)."""
    yield from _everywhere(code, "list({repr(getattr(b, 'value', b)): b for b in {}}.values())")


@operator
def last_of_key(code: ModuleCode) -> Iterator[Edits]:
    """Keeps one record for each key of a batch (confluentinc/kafka-connect-storage-cloud#846)."""
    for function in code.functions:
        names = [each.arg for each in function.args.args if each.arg != "self"]
        if function.name == "put" and len(names) == 1:
            kept = f"{names[0]} = list({{repr(r.key): r for r in {names[0]}}}.values())"
            yield code.at_entry(function, kept)


@operator
def call_twice(code: ModuleCode) -> Iterator[Edits]:
    """Does a step twice (ClickHouse/clickhouse-kafka-connect#801: a batch is taken again)."""
    for node in code.statements:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            yield code.replace(node, f"{{}}\n{code.indent(node)}{{}}")


@operator
def join_lines(code: ModuleCode) -> Iterator[Edits]:
    """Writes nothing between two records, so that they are read as one."""
    for node in code.nodes:
        if isinstance(node, ast.Constant) and node.value in {"\n", b"\n"}:
            parent = code.parents.get(node)
            if not (isinstance(parent, ast.Call) and node in parent.args):
                yield code.replace(node, "b''" if isinstance(node.value, bytes) else "''")


@operator
def split_more(code: ModuleCode) -> Iterator[Edits]:
    """Takes other characters for the end of a line (logstash-plugins/logstash-input-file#151)."""
    for node, owner, name in code.method_calls("split", "splitlines"):
        if name == "split":
            yield code.replace(node, f"{code.source(owner)}.splitlines()")
        yield code.replace(node, f"{code.source(owner)}.split()")


OPERATORS = (
    drop_first,
    drop_last,
    first_ten,
    repeat_last,
    swap_first,
    last_of_equals,
    last_of_key,
    call_twice,
    join_lines,
    split_more,
)
