"""Converters and transformations of a running task, in the stage host that has their location."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from plugwright.errors import ConnectError, PluginError
from plugwright.hosts._chain_plan import chain_of, class_at
from plugwright.hosts._reports import ErrorReport, report
from plugwright.hosts._rows import record_of, row_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plugwright.hosts._rows import Row
    from plugwright.plugins import ClassReference
    from plugwright.transforms import Stage

__all__ = ["StageService", "StageSetup", "failure", "make_converter"]

CONVERTERS = ("key.converter", "value.converter", "header.converter")


@dataclass(frozen=True, slots=True)
class StageSetup:
    """What the processes of one task have to know of what stands around it.

    Attributes:
        transforms: the settings of transformations and predicates.
        transform_classes: the classes that these name.
        converters: by their key in the configuration.
        paths: import paths of the stage hosts; the first one is process 1.
    """

    transforms: Mapping[str, str]
    transform_classes: Mapping[str, ClassReference]
    converters: Mapping[str, ClassReference]
    paths: tuple[tuple[str, ...], ...] = ()


@dataclass
class StageService:
    """Serves one task; every method takes a batch and gives an outcome for each record.

    Hot path: the loops run once per record. An outcome is the result or an `ErrorReport`.
    """

    _stages: Sequence[tuple[Stage, ClassReference]] = ()
    _converters: dict[str, Any] = field(default_factory=dict)
    _setup: StageSetup = field(default_factory=lambda: StageSetup({}, {}, {}))

    def open(self, setup: StageSetup, process: int) -> None:
        """Compile the chain and configure the converters that this process runs.

        Raises:
            ConfigError: if a plugin refuses its settings.
            PluginError: if one fails.
        """
        self._setup = setup
        classes = setup.transform_classes
        chain = chain_of(setup.transforms, classes, process)
        self._stages = [
            (stage, class_at(f"transforms.{stage.alias}.type", setup.transforms, classes))
            for stage in chain.stages
        ]
        for key, reference in setup.converters.items():
            if reference.process == process:
                self._converters[key] = make_converter(key, reference)

    def transform(
        self, first: int, after: int, rows: Sequence[Row], tested: bool
    ) -> list[Row | ErrorReport | None]:
        """Send records through consecutive stages, past their predicates if those were asked."""
        steps = [
            (stage.transformation.apply if tested else stage.apply, reference)
            for stage, reference in self._stages[first:after]
        ]
        return [_through(steps, row) for row in rows]

    def test(self, position: int, rows: Sequence[Row]) -> list[bool | ErrorReport]:
        """Ask the predicate of a stage."""
        stage, _ = self._stages[position]
        alias = self._setup.transforms[f"transforms.{stage.alias}.predicate"].strip()
        reference = class_at(
            f"predicates.{alias}.type", self._setup.transforms, self._setup.transform_classes
        )
        if stage.predicate is None:
            raise KeyError(alias)
        calls = [(record_of(row),) for row in rows]
        return _each(stage.predicate.test, calls, reference, "test")

    def convert(
        self, key: str, method: str, calls: Sequence[tuple[Any, ...]]
    ) -> list[bytes | tuple[Any, ...] | ErrorReport | None]:
        """Call a method of a converter for each record, or each header."""
        found = _each(
            getattr(self._converters[key], method), calls, self._setup.converters[key], method
        )
        return [tuple(each) if isinstance(each, tuple) else each for each in found]


def make_converter(key: str, reference: ClassReference) -> Any:
    """A converter, configured for its place."""
    converter = reference.load()()
    if key == "header.converter":
        converter.configure(reference.settings)
    else:
        converter.configure(reference.settings, is_key=key == "key.converter")
    return converter


def _through(
    steps: Sequence[tuple[Callable[[Any], Any], ClassReference]], row: Row
) -> Row | ErrorReport | None:
    record = record_of(row)
    for apply, reference in steps:
        try:
            record = apply(record)
        except (Exception, SystemExit) as error:  # noqa: BLE001  # reported for this record
            return report(failure(reference, "apply", error))
        if record is None:
            return None
    return row_of(record)


def _each(
    call: Callable[..., Any],
    calls: Sequence[tuple[Any, ...]],
    reference: ClassReference,
    phase: str,
) -> list[Any]:
    found = []
    for arguments in calls:
        try:
            found.append(call(*arguments))
        except (Exception, SystemExit) as error:  # noqa: BLE001  # reported for this record
            found.append(report(failure(reference, phase, error)))
    return found


def failure(reference: ClassReference, phase: str, error: BaseException) -> ConnectError:
    """What a plugin raised, with its name, version, location and the phase among the facts."""
    facts = {
        "plugin": reference.class_name,
        "version": reference.version,
        "location": reference.location,
        "phase": phase,
        "error": type(error).__name__,
    }
    if isinstance(error, ConnectError):
        error.facts = {**facts, **error.facts}
        return error
    message = str(error) or type(error).__name__
    found = PluginError(
        f"{reference.class_name} {reference.version} failed in {phase}: {message}", facts=facts
    )
    found.__cause__ = error
    return found
