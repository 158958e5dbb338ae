"""The base classes of the bundled transformations and predicates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from plugwright._version import __version__
from plugwright.errors import DataError
from plugwright.transforms._base import Predicate, R, Transformation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.config import ConfigDef


class BuiltinTransformation(Transformation[R]):
    """A transformation whose class has the definition of its settings."""

    DEFINITION: ClassVar[ConfigDef]

    def config(self) -> ConfigDef:
        """The transformation's settings."""
        return self.DEFINITION

    def configure(self, props: Mapping[str, Any]) -> None:
        """Take the settings.

        Raises:
            ConfigError: if one is missing or wrong, or they conflict.
        """
        self._take(self.DEFINITION.parse(props))

    def version(self) -> str:
        """The version of the runtime that contains the transformation."""
        return __version__

    def _take(self, settings: Mapping[str, Any]) -> None:
        """Store the parsed settings."""


class BuiltinPredicate(Predicate[R]):
    """A predicate whose class has the definition of its settings."""

    DEFINITION: ClassVar[ConfigDef]

    def config(self) -> ConfigDef:
        """The predicate's settings."""
        return self.DEFINITION

    def configure(self, props: Mapping[str, Any]) -> None:
        """Take the settings.

        Raises:
            ConfigError: if one is missing or wrong.
        """
        self._take(self.DEFINITION.parse(props))

    def version(self) -> str:
        """The version of the runtime that contains the predicate."""
        return __version__

    def _take(self, settings: Mapping[str, Any]) -> None:
        """Store the parsed settings."""


def located(error: DataError, transformation: type) -> DataError:
    """The error with its transformation and, if its facts have it, its field in the message."""
    label = transformation.__qualname__.replace(".", "$")
    field = error.facts.get("field")
    position = f"in {label}" if field is None else f"in {label}, field {field}"
    facts = {**error.facts, "transformation": label}
    return DataError(f"{error} ({position})", code=error.code, hint=error.hint, facts=facts)
