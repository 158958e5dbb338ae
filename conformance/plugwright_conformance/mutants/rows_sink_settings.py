"""Sinks of rows whose definition or validation is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from plugwright import ConfigDef, ConfigType, ConfigValue, Importance, Range
from plugwright.config import invalid_value
from plugwright_conformance.mutants._mutant import mutant
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

_DOCUMENTATION = "How often a write is tried again."


@mutant(
    "M017a",
    "constructor requires an argument",
    killed_by="PLG-DSC-13",
    says="missing 1 required positional argument: 'path'",
    sentinel=True,
)
class WantsPath(RowsSinkConnector):
    """Cannot be made without an argument."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self._path = path


@mutant(
    "M023",
    "order of the keys depends on the hash seed",
    killed_by="CON-CFG-01",
    says="as in another process",
)
class OrderOfASet(RowsSinkConnector):
    """Defines its keys in the order of a set."""

    def config(self) -> ConfigDef:
        """The good keys, and some of any order."""
        definition = super().config()
        for name in {f"rows.extra.{number}" for number in range(12)}:
            definition.define(name, ConfigType.STRING, "", Importance.LOW, _DOCUMENTATION)
        return definition


@mutant(
    "M199",
    "a setting that nobody reads",
    base="rows-sink",
    killed_by="CON-CFG-17",
    says="never read: rows.linger.ms",
)
class SettingWithoutUse(RowsSinkConnector):
    """Takes a setting for what it never does."""

    def config(self) -> ConfigDef:
        """The good keys, and an idle one."""
        definition = super().config()
        return definition.define(
            "rows.linger.ms", ConfigType.INT, 5, Importance.LOW, _DOCUMENTATION
        )


@mutant(
    "M025",
    "default outside its own range",
    killed_by="CON-CFG-03",
    says="a default of rows.retries",
)
class DefaultOutOfRange(RowsSinkConnector):
    """Has a default that it would refuse."""

    def config(self) -> ConfigDef:
        """The good keys, and a wrong default."""
        definition = super().config()
        definition.define("rows.retries", ConfigType.INT, 0, Importance.LOW, _DOCUMENTATION)
        object.__setattr__(definition.keys["rows.retries"], "validator", Range.at_least(1))
        return definition


class _Above(Range):
    """A range that is documented with its edge and checked without."""

    def __call__(self, name: str, value: object) -> None:
        super().__call__(name, value)
        if value == self.min:
            raise invalid_value(name, value, "too small")


@mutant(
    "M028",
    "range check leaves its edge out",
    killed_by="CON-CFG-06",
    says="rows.retries = 1",
    sentinel=True,
)
class EdgeIsOut(RowsSinkConnector):
    """Says from 1 and means from 2."""

    def config(self) -> ConfigDef:
        """The good keys, and one with a wrong comparison."""
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
    says="wrong at once",
)
class OneErrorAtATime(RowsSinkConnector):
    """Stops at the first thing that is wrong."""

    def validate(self, props: Mapping[str, str]) -> Sequence[ConfigValue]:
        """Everything up to the first error."""
        values = super().validate(props)
        wrong = [number for number, value in enumerate(values) if value.error_messages]
        return values[: wrong[0] + 1] if wrong else values


@mutant(
    "M030",
    "validate() makes the target table",
    killed_by="CON-CFG-09",
    says="the endpoint's files as before",
)
class MakesTableInValidation(RowsSinkConnector):
    """Tries whether it can write by writing."""

    def validate(self, props: Mapping[str, str]) -> Sequence[ConfigValue]:
        """Make a table."""
        if directory := directory_of(props.get("rows.url", "rows:///nowhere")):
            path = Path(directory)
            if path.is_dir():
                (path / "table9.jsonl").touch()
        return super().validate(props)


@mutant(
    "M032",
    "defines a key that the worker reads",
    killed_by="CON-CFG-14",
    says="errors.retry.timeout",
)
class ReservedKey(RowsSinkConnector):
    """Has a setting that the worker reads."""

    def config(self) -> ConfigDef:
        """The good keys, and one of Kafka's."""
        return (
            super()
            .config()
            .define("errors.retry.timeout", ConfigType.LONG, 0, Importance.LOW, _DOCUMENTATION)
        )
