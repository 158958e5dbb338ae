"""Converters and transformations of a running task, in the stage host of their location."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import compress
from typing import TYPE_CHECKING, Any

from plugwright.errors import ConnectError, PluginError
from plugwright.hosts._chain_plan import chain_of, class_at
from plugwright.hosts.columns import changes, records_of, rows_of, rows_of_columns, struct_rows
from plugwright.hosts.reports import OUT_OF_MEMORY, ErrorReport, report
from plugwright.origin import name_origin, origin, said

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plugwright.hosts.columns import EncodedColumns, Rows
    from plugwright.plugins import ClassReference
    from plugwright.transforms import TransformationStage

CONVERTERS = ("key.converter", "value.converter", "header.converter")


@dataclass(frozen=True, slots=True)
class StageSetup:
    """The data that the processes of one task need about the plugins around it.

    Attributes:
        transforms: the settings of transformations and predicates.
        transform_classes: the classes that these settings name.
        converters: by their key in the configuration.
        paths: import paths of the stage hosts; the first one is process 1.
    """

    transforms: Mapping[str, str]
    transform_classes: Mapping[str, ClassReference]
    converters: Mapping[str, ClassReference]
    paths: tuple[tuple[str, ...], ...] = ()

    def processes(self) -> list[int]:
        """The stage hosts that are needed; a listed predicate may be unused."""
        references = (*self.transform_classes.values(), *self.converters.values())
        return sorted({each.process for each in references if each.location and each.process})


@dataclass
class StageService:
    """Serves one task; every method takes a batch and returns an outcome per record.

    Hot path: the loops run once per record. An outcome is the result or an `ErrorReport`.
    """

    _stages: Sequence[tuple[TransformationStage, ClassReference]] = ()
    _converters: dict[str, Any] = field(default_factory=dict)
    _setup: StageSetup = field(default_factory=lambda: StageSetup({}, {}, {}))

    def open(self, setup: StageSetup, process: int) -> None:
        """Compile the chain and configure the converters of this process.

        Raises:
            ConfigError: if a plugin rejects its settings.
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
        self, first: int, after: int, batch: EncodedColumns, tested: bool
    ) -> tuple[Sequence[int], Mapping[int, ErrorReport], EncodedColumns]:
        """Apply consecutive stages to records, skipping their predicates if already evaluated.

        Returns:
            The dropped records, the failed ones with their errors, and the changes in the others.
        """
        steps = [
            (stage.transformation.apply if tested else stage.apply, reference)
            for stage, reference in self._stages[first:after]
        ]
        rows = rows_of_columns(batch)
        dropped: list[int] = []
        failed: dict[int, ErrorReport] = {}
        kept: list[Any] = []
        before: Rows = rows
        for position, record in enumerate(records_of(rows)):
            outcome = _through(steps, record)
            if outcome is None:
                dropped.append(position)
            elif type(outcome) is ErrorReport:
                failed[position] = outcome
            else:
                kept.append(outcome)
        chosen: list[bool] | None = None
        if dropped or failed:
            gone = {*dropped, *failed}
            chosen = [position not in gone for position in range(len(rows))]
            before = list(compress(rows, chosen))
        return dropped, failed, changes(before, rows_of(kept), struct_rows(batch, chosen))

    def test(self, position: int, batch: EncodedColumns) -> list[bool | ErrorReport]:
        """Evaluate the predicate of a stage."""
        stage, _ = self._stages[position]
        alias = self._setup.transforms[f"transforms.{stage.alias}.predicate"].strip()
        reference = class_at(
            f"predicates.{alias}.type", self._setup.transforms, self._setup.transform_classes
        )
        if stage.predicate is None:
            raise KeyError(alias)
        calls = [(record,) for record in records_of(rows_of_columns(batch))]
        return [
            found if type(found) is ErrorReport else bool(found)
            for found in _each(stage.predicate.test, calls, reference, "test")
        ]

    def convert(
        self, key: str, method: str, batch: EncodedColumns
    ) -> list[bytes | tuple[Any, ...] | ErrorReport | None]:
        """Call a method of a converter for each record, or each header."""
        call, reference = getattr(self._converters[key], method), self._setup.converters[key]
        found = _each(call, rows_of_columns(batch), reference, method)
        if method.startswith("to_"):
            return [each if type(each) is ErrorReport else tuple(each) for each in found]
        return found


def make_converter(key: str, reference: ClassReference) -> Any:
    """Create a converter, configured for its role."""
    converter = reference.load()()
    if key == "header.converter":
        converter.configure(reference.settings)
    else:
        converter.configure(reference.settings, is_key=key == "key.converter")
    return converter


def _through(steps: Sequence[tuple[Callable[[Any], Any], ClassReference]], record: Any) -> Any:
    for apply, reference in steps:
        try:
            record = apply(record)
        except BaseException as error:  # noqa: BLE001  # reported for this record
            return report(failure(reference, "apply", error))
        if record is None:
            return None
    return record


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
        except BaseException as error:  # noqa: BLE001  # reported for this record
            found.append(report(failure(reference, phase, error)))
    return found


def failure(reference: ClassReference, phase: str, error: BaseException) -> ConnectError:
    """The error for a plugin's exception, with name, version, location and phase as facts."""
    facts = {
        "plugin": reference.class_name,
        "version": reference.version,
        "location": reference.location,
        "phase": phase,
        "error": type(error).__name__,
    }
    line = origin(reference.class_name, reference.version, reference.location, phase)
    if isinstance(error, ConnectError):
        error.facts = {**facts, **error.facts}
        name_origin(error, line)
        return error
    found = PluginError(
        f"{reference.class_name} {reference.version} failed in {phase}: {said(error)}",
        code=OUT_OF_MEMORY if isinstance(error, MemoryError) else None,
        facts=facts,
    )
    name_origin(found, line)
    found.__cause__ = error
    return found
