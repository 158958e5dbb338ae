"""Row sinks with faults in definition or validation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from plugwright import ConfigDef, ConfigType, ConfigValue, Importance, Range
from plugwright.config import invalid_value
from plugwright_conformance.mutants.mutant import mutant
from plugwright_conformance.reference.rows.codec import directory_of
from plugwright_conformance.reference.rows.sink import RowsSinkConnector

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = [
    "DefaultOutOfRange",
    "EdgeIsOut",
    "MakesTableInValidation",
    "OneErrorAtATime",
    "OrderOfASet",
    "ReservedKey",
    "SettingWithoutUse",
    "WantsPath",
]

_DOCUMENTATION = "The number of retries of a write."


@mutant(
    "M017a",
    "constructor requires an argument",
    killed_by="PLG-DSC-13",
    failure="missing 1 required positional argument: 'path'",
    sentinel=True,
)
class WantsPath(RowsSinkConnector):
    """Requires an argument in its constructor."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self._path = path


@mutant(
    "M023",
    "order of the keys depends on the hash seed",
    killed_by="CON-CFG-01",
    failure="as in another process",
)
class OrderOfASet(RowsSinkConnector):
    """Defines its keys in the order of a set."""

    def config(self) -> ConfigDef:
        """The good keys, and others in the order of a set."""
        definition = super().config()
        for name in {f"rows.extra.{number}" for number in range(12)}:
            definition.define(name, ConfigType.STRING, "", Importance.LOW, _DOCUMENTATION)
        return definition


@mutant(
    "M199",
    "a setting that nobody reads",
    base="rows-sink",
    killed_by="CON-CFG-17",
    failure="never read: rows.linger.ms",
)
class SettingWithoutUse(RowsSinkConnector):
    """Defines a setting that it does not read."""

    def config(self) -> ConfigDef:
        """The good keys, and one that is not read."""
        definition = super().config()
        return definition.define(
            "rows.linger.ms", ConfigType.INT, 5, Importance.LOW, _DOCUMENTATION
        )


@mutant(
    "M025",
    "default outside its own range",
    killed_by="CON-CFG-03",
    failure="a default of rows.retries",
)
class DefaultOutOfRange(RowsSinkConnector):
    """Defines a default outside of its range."""

    def config(self) -> ConfigDef:
        """The good keys, and a wrong default."""
        definition = super().config()
        definition.define("rows.retries", ConfigType.INT, 0, Importance.LOW, _DOCUMENTATION)
        object.__setattr__(definition.keys["rows.retries"], "validator", Range.at_least(1))
        return definition


class _Above(Range):
    """A range that is documented as inclusive and validated as exclusive."""

    def __call__(self, name: str, value: object) -> None:
        super().__call__(name, value)
        if value == self.min:
            raise invalid_value(name, value, "too small")


@mutant(
    "M028",
    "range check leaves its edge out",
    killed_by="CON-CFG-06",
    failure="rows.retries = 1",
    sentinel=True,
)
class EdgeIsOut(RowsSinkConnector):
    """Documents a minimum of 1 and requires 2."""

    def config(self) -> ConfigDef:
        """The good keys, and one with the wrong validator."""
        return (
            super()
            .config()
            .define(
                "rows.retries",
                ConfigType.INT,
                3,
                Importance.LOW,
                _DOCUMENTATION,
                validator=_Above(1, None),
            )
        )


@mutant(
    "M174",
    "validation stops at the first error",
    killed_by="CON-CFG-07",
    failure="wrong at once",
)
class OneErrorAtATime(RowsSinkConnector):
    """Validates only up to the first error."""

    def validate(self, props: Mapping[str, str]) -> Sequence[ConfigValue]:
        """The values up to the first error."""
        values = super().validate(props)
        wrong = [number for number, value in enumerate(values) if value.error_messages]
        return values[: wrong[0] + 1] if wrong else values


@mutant(
    "M030",
    "validate() makes the target table",
    killed_by="CON-CFG-09",
    failure="the endpoint's files as before",
)
class MakesTableInValidation(RowsSinkConnector):
    """Creates a table in validate()."""

    def validate(self, props: Mapping[str, str]) -> Sequence[ConfigValue]:
        """Create a table, then validate."""
        if directory := directory_of(props.get("rows.url", "rows:///nowhere")):
            path = Path(directory)
            if path.is_dir():
                (path / "table9.jsonl").touch()
        return super().validate(props)


@mutant(
    "M032",
    "defines a key that the worker reads",
    killed_by="CON-CFG-14",
    failure="errors.retry.timeout",
)
class ReservedKey(RowsSinkConnector):
    """Defines a setting of the worker."""

    def config(self) -> ConfigDef:
        """The good keys, and one of the worker."""
        return (
            super()
            .config()
            .define("errors.retry.timeout", ConfigType.LONG, 0, Importance.LOW, _DOCUMENTATION)
        )
