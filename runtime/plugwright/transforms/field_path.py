r"""Paths to a field, possibly inside others (``field.syntax.version``, KIP-821).

Under V1 a path is the name of a field. Under V2 dots separate steps; a step between backticks may
contain dots; a backtick that neither opens nor closes a step is a character like others, and one
that would can be escaped with a backslash.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugwright.config import CaseInsensitiveValidString, ConfigDef, ConfigType, Importance
from plugwright.errors import ConfigError
from plugwright.transforms._requirements import require_map_or_none

if TYPE_CHECKING:
    from collections.abc import Callable

    from plugwright.schema import Field, Schema

FIELD_SYNTAX_VERSION = "field.syntax.version"

_V1 = "V1"
_V2 = "V2"


def with_field_syntax(definition: ConfigDef) -> ConfigDef:
    """The definition with ``field.syntax.version`` added."""
    return definition.define(
        FIELD_SYNTAX_VERSION,
        ConfigType.STRING,
        default=_V1,
        importance=Importance.HIGH,
        documentation="How to read the name of a field: V1 takes it as it is; in V2 dots lead to "
        "fields inside others, and backticks surround names that contain dots.",
        validator=CaseInsensitiveValidString.in_(_V1, _V2),
    )


class FieldPath:
    """The path to a field: names from the outermost to the field itself.

    >>> FieldPath("a.`b.c`", "V2").steps
    ('a', 'b.c')

    Args:
        path: as the user wrote it.
        version: ``V1`` or ``V2``, in any case.

    Raises:
        ConfigError: if a backtick is opened and not closed.
    """

    __slots__ = ("path", "steps")

    def __init__(self, path: str, version: str = _V2) -> None:
        self.path = path
        self.steps = (path,) if version.upper() == _V1 else _steps(path)

    def field_in(self, schema: Schema) -> Field | None:
        """The field in a struct schema; ``None`` if there is none.

        Raises:
            DataError: if the path leads through something that is not a struct.
        """
        field: Field | None = None
        for step in self.steps:
            field = schema.field(step)
            if field is None:
                return None
            schema = field.schema
        return field

    def value_in_map(self, value: dict[str, Any] | None) -> Any:
        """The value of the field in schemaless data; ``None`` if it is missing.

        Raises:
            DataError: if the path leads through something that is not a map.
        """
        *outer, last = self.steps or (None,)
        if last is None:
            return None
        for step in outer:
            value = None if value is None else value.get(step)
            value = require_map_or_none(value, "nested field access")
        return None if value is None else value.get(last)

    def getter(self, *, defaults: bool) -> Callable[[Any], Any]:
        """A function that reads the field from a struct; ``None`` if it is missing.

        Args:
            defaults: whether the default of the last field replaces an absent value; those of
                the structs around it always do, as in Kafka.
        """
        *outer, last = self.steps

        def value(struct: Any) -> Any:
            for step in outer:
                if struct is None:
                    return None
                struct = struct.get(step)
            if struct is None:
                return None
            return struct.get(last) if defaults else struct.get_without_default(last)

        return value


def _steps(path: str) -> tuple[str, ...]:
    steps: list[str] = []
    position = 0
    while position < len(path):
        step, position = (
            _quoted_step(path, position) if path[position] == "`" else _step(path, position)
        )
        steps.append(step)
    if path.endswith("."):
        steps.append("")
    return tuple(steps)


def _step(path: str, start: int) -> tuple[str, int]:
    """The step up to the next dot, and where the one after it begins."""
    dot = path.find(".", start)
    return (path[start:], len(path)) if dot < 0 else (path[start:dot], dot + 1)


def _quoted_step(path: str, opening: int) -> tuple[str, int]:
    """The step that a backtick opens, and where the one after it begins.

    A backtick closes the step if a dot or the end follows. Escaped before a dot it loses its
    backslash; anywhere else both are characters of the step.
    """
    step = ""
    start = at = opening + 1
    while True:
        at = path.find("`", at)
        escaped = at > 0 and path[at - 1] == "\\"
        if at < 0 or (escaped and at == len(path) - 1):
            raise _incomplete(path, opening)
        if at == len(path) - 1 or (path[at + 1] == "." and not escaped):
            return step + path[start:at], at + 2
        if path[at + 1] == ".":
            step += path[start : at - 1] + "`"
            start = at + 1
        at += 1


def _incomplete(path: str, position: int) -> ConfigError:
    return ConfigError(
        f"Incomplete backtick pair in path: [{path}], "
        f"consider adding a backslash before backtick at position {position} to escape it",
        facts={"path": path, "position": position},
    )
