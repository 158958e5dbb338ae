"""Operators on settings: missing, not validated, wrong default, or without effect."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from plugwright_conformance.mutation.mutation_operator import operator

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plugwright_conformance.mutation.module_code import Edits, ModuleCode

__all__ = ["OPERATORS"]

_PROPERTIES = {"validator", "default", "recommender", "dependents", "documentation"}
_TYPE = {
    "PASSWORD": "STRING",
    "INT": "STRING",
    "LONG": "INT",
    "SHORT": "STRING",
    "BOOLEAN": "STRING",
    "LIST": "STRING",
    "CLASS": "STRING",
    "DOUBLE": "STRING",
    "STRING": "PASSWORD",
}
_MAPS = {"props", "settings", "config", "configs", "parsed", "_props", "_settings", "_config"}


@operator
def drop_setting(code: ModuleCode) -> Iterator[Edits]:
    """Does not define a setting (apache/kafka#3762)."""
    for node, owner, _ in code.method_calls("define"):
        yield code.replace(node, code.source(owner))


@operator
def drop_property(code: ModuleCode) -> Iterator[Edits]:
    """Defines a setting without its validator, default or documentation.

    As in ably/kafka-connect-ably#53.
    """
    for node, _, _ in code.method_calls("define"):
        for keyword in node.keywords:
            if keyword.arg in _PROPERTIES:
                start, end = code.span(keyword)
                (change,) = code.replace(keyword.value, "X")
                yield (type(change)(start, end, "**{}"),)


@operator
def other_default(code: ModuleCode) -> Iterator[Edits]:
    """Has another default than it says (jcustenborder/kafka-connect-spooldir#22)."""
    for node, _, _ in code.method_calls("define"):
        for keyword in node.keywords:
            if keyword.arg == "default" and isinstance(keyword.value, ast.Constant):
                value = keyword.value.value
                if isinstance(value, bool):
                    yield code.replace(keyword.value, str(not value))
                elif isinstance(value, int):
                    yield code.replace(keyword.value, str(value + 1))
                else:
                    yield code.replace(keyword.value, '"other"')


@operator
def other_type(code: ModuleCode) -> Iterator[Edits]:
    """Defines a secret, or a number, as a string (apache/camel-kafka-connector#1050)."""
    for node in code.nodes:
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id == "ConfigType"
            and node.attr in _TYPE
        ):
            yield code.replace(node, f"ConfigType.{_TYPE[node.attr]}")


@operator
def dead_setting(code: ModuleCode) -> Iterator[Edits]:
    """Has a setting that does nothing (confluentinc/kafka-connect-jdbc#1694)."""
    asked = {call: owner for call, owner, _ in code.method_calls("get")}
    for node in code.nodes:
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            if _is_map(node.value):
                yield code.replace(node, "None")
        elif isinstance(node, ast.Call) and node in asked and _is_map(asked[node]):
            default = code.source(node.args[1]) if len(node.args) > 1 else "None"
            yield code.replace(node, f"({default})")


def _is_map(node: ast.expr) -> bool:
    """Whether it is a map of settings, by its name or by how it was made."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Attribute) and node.func.attr == "parse"
    name = node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")
    return name in _MAPS


@operator
def other_version(code: ModuleCode) -> Iterator[Edits]:
    """Reports another version than its package has.

    As in googleapis/java-pubsub-group-kafka-connector#310.
    """
    for node in code.nodes:
        if (
            isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and node.targets[0].id in {"VERSION", "__version__"}
        ):
            yield code.replace(node.value, '"0.0.0"')


OPERATORS = (
    drop_setting,
    drop_property,
    other_default,
    other_type,
    dead_setting,
    other_version,
)
