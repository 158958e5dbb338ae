"""The transformations of one connector in order, each with its predicate."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Generic, Self

from plugwright.config import ConfigValue, require_valid, resolving_classes
from plugwright.errors import ConfigError, PluginError
from plugwright.transforms._base import Predicate, R, Transformation
from plugwright.transforms._by_column import column_chain
from plugwright.transforms._chain_config import (
    NEGATE,
    PREDICATE,
    PREDICATE_KIND,
    TRANSFORMATION_KIND,
    PluginListKind,
    chain_config_def,
    plugin_name,
)
from plugwright.transforms._fusion import fused_steps
from plugwright.transforms._stage import TransformationStage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from plugwright.config import ClassResolver

_LOG = logging.getLogger("plugwright.transforms")


class TransformationChain(Generic[R]):
    """Applies transformations in order; compiled once, called once per record.

    A chain without stages is falsy.

    Attributes:
        stages: its transformations, for callers that guard each one separately.
        steps: the functions to call for a record, for callers that do so themselves.
        columns: does the same with columns; ``None`` if a transformation takes records only.
    """

    __slots__ = ("_steps", "columns", "stages", "steps")

    def __init__(self, stages: Sequence[TransformationStage] = ()) -> None:
        self.stages = tuple(stages)
        self.steps = fused_steps(self.stages)
        self._steps = tuple(step.apply for step in self.steps)
        self.columns = column_chain(self.stages)

    @classmethod
    def compile(cls, props: Mapping[str, Any], resolver: ClassResolver) -> Self:
        """The chain of a connector's configuration (KIP-66, KIP-585).

        Args:
            props: the configuration, with references to providers resolved.
            resolver: loads a class by name or alias.

        Raises:
            ConfigError: with every problem and its key.
            PluginError: if a plugin fails other than with a ``ConfigError``.
        """
        return cls(_Compiler(props, resolver).stages())

    def apply(self, record: R) -> R | None:
        """The transformed record, or ``None`` if a stage dropped it. Hot path."""
        current: R | None = record
        for step in self._steps:
            current = step(current)
            if current is None:
                return None
        return current

    def close(self) -> None:
        """Close all plugins, even if one of them fails."""
        for stage in self.stages:
            _close(stage.transformation)
            if stage.predicate is not None:
                _close(stage.predicate)

    def __len__(self) -> int:
        return len(self.stages)

    def __iter__(self) -> Iterator[TransformationStage]:
        return iter(self.stages)


class _Compiler:
    """Creates the stages of a configuration and collects its problems."""

    def __init__(self, props: Mapping[str, Any], resolver: ClassResolver) -> None:
        self._props = props
        self._resolver = resolver
        self._values = chain_config_def(props, resolver).validate_all(props)
        self._made: list[Transformation[Any] | Predicate[Any]] = []

    def stages(self) -> list[TransformationStage]:
        """Every stage, configured.

        Raises:
            ConfigError: with every problem; the plugins created before are closed.
            PluginError: if a plugin fails; the same.
        """
        try:
            with resolving_classes(self._resolver):
                stages = [self._stage(alias) for alias in TRANSFORMATION_KIND.aliases(self._props)]
            require_valid(self._values.values())
        except (ConfigError, PluginError):
            for plugin in self._made:
                _close(plugin)
            raise
        return [stage for stage in stages if stage is not None]

    def _stage(self, alias: str) -> TransformationStage | None:
        prefix = TRANSFORMATION_KIND.prefix(alias)
        transformation = self._plugin(TRANSFORMATION_KIND, alias)
        wanted = self._value(f"{prefix}{PREDICATE}")
        predicate = None if wanted is None else self._predicate(f"{prefix}{PREDICATE}", wanted)
        if transformation is None or (wanted is not None and predicate is None):
            return None
        apply = transformation.apply
        if predicate is not None:
            negated = bool(self._value(f"{prefix}{NEGATE}"))
            apply = _conditional(apply, predicate.test, negated=negated)
        return TransformationStage(alias, transformation, predicate, apply)

    def _predicate(self, key: str, alias: str) -> Predicate[Any] | None:
        known = PREDICATE_KIND.aliases(self._props)
        if alias not in known:
            names = ", ".join(known) or "none"
            self._add_problem(
                key,
                f"Invalid value {alias} for configuration {key}: "
                f"no predicate has this alias; predicates lists {names}",
            )
            return None
        predicate: Predicate[Any] | None = self._plugin(PREDICATE_KIND, alias)
        return predicate

    def _plugin(self, kind: PluginListKind, alias: str) -> Any:
        """A configured plugin; ``None`` if its settings have problems, which are recorded."""
        prefix = kind.prefix(alias)
        if any(
            value.error_messages for key, value in self._values.items() if key.startswith(prefix)
        ):
            return None
        found = self._value(f"{prefix}type")
        settings = {
            key.removeprefix(prefix): value
            for key, value in self._props.items()
            if key.startswith(prefix)
        }
        if kind.conditional:
            settings.pop(PREDICATE, None)
            settings.pop(NEGATE, None)
        return self._configured(found, settings, f"{prefix}type")

    def _configured(self, found: Any, settings: Mapping[str, Any], key: str) -> Any:
        try:
            plugin = found()
            self._made.append(plugin)
            plugin.configure(settings)
        except ConfigError as error:
            own = str(error.facts.get("key", "type"))
            self._add_problem(f"{key.removesuffix('type')}{own}", str(error))
            return None
        except Exception as error:
            raise PluginError(
                f"{plugin_name(found)}, named by {key}, failed with {type(error).__name__} "
                "(phase configure)",
                hint="read the cause below",
                facts={"key": key, "class": plugin_name(found), "phase": "configure"},
            ) from error
        return plugin

    def _value(self, key: str) -> Any:
        value = self._values.get(key)
        return None if value is None else value.value

    def _add_problem(self, key: str, message: str) -> None:
        self._values[key] = self._values.get(key, ConfigValue(key)).with_error(message)


def _conditional(
    apply: Callable[[Any], Any], test: Callable[[Any], bool], *, negated: bool
) -> Callable[[Any], Any]:
    if negated:
        return lambda record: record if test(record) else apply(record)
    return lambda record: apply(record) if test(record) else record


def _close(plugin: Transformation[Any] | Predicate[Any]) -> None:
    try:
        plugin.close()
    except Exception:  # noqa: BLE001  # code of a plugin; the others are to be closed as well
        _LOG.warning("Failed to close %s", plugin_name(type(plugin)), exc_info=True)
