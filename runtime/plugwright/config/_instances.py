"""Creates and configures objects whose classes a configuration names."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, TypeVar

from plugwright.config._classes import resolve_class
from plugwright.config._printing import class_name, printed
from plugwright.config._problems import invalid_value
from plugwright.errors import ConfigError, PluginError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from plugwright.config._classes import ClassResolver

T = TypeVar("T")

_LOG = logging.getLogger("plugwright.config")


def configured_instances(
    key: str,
    classes: Iterable[object],
    base: type[T],
    props: Mapping[str, Any],
    resolver: ClassResolver | None,
) -> list[T]:
    """An instance of each class, configured with ``props`` if it has a method ``configure``.

    If one fails, the instances created before it are closed.

    Args:
        key: the setting that names the classes, for messages.
        classes: classes or their names.
        base: their required base class.
        props: the argument of ``configure``.
        resolver: loads classes by name.

    Raises:
        ConfigError: if a class cannot be loaded or is of another kind.
        PluginError: if a class cannot be instantiated or configured.
    """
    made: list[T] = []
    try:
        for named in classes:
            instance = _made(key, _loaded(key, named, resolver), base)
            made.append(instance)
            _configure(key, instance, props)
    except (ConfigError, PluginError):
        _close_all(made)
        raise
    return made


def _loaded(key: str, named: object, resolver: ClassResolver | None) -> type:
    if isinstance(named, type):
        return named
    try:
        return resolve_class(str(named), resolver)
    except ImportError as error:
        raise invalid_value(key, named, f"Class {printed(named)} cannot be found") from error


def _made(key: str, loaded: type, base: type[T]) -> T:
    if not issubclass(loaded, base):
        message = f"{class_name(loaded)} is not an instance of {class_name(base)}"
        raise invalid_value(key, loaded, message)
    try:
        return loaded()
    except Exception as error:
        raise _failed(key, loaded, "construct", error) from error


def _configure(key: str, instance: object, props: Mapping[str, Any]) -> None:
    configure = getattr(instance, "configure", None)
    if configure is None:
        return
    try:
        configure(props)
    except ConfigError:
        raise
    except Exception as error:
        raise _failed(key, type(instance), "configure", error) from error


def _close_all(instances: Iterable[object]) -> None:
    """Close each instance that has a ``close``; only log errors, the original one is raised."""
    for instance in instances:
        try:
            getattr(instance, "close", lambda: None)()
        except Exception:  # noqa: BLE001  # code of a plugin; logged, another failure counts
            _LOG.warning("Failed to close %s", class_name(type(instance)), exc_info=True)


def _failed(key: str, loaded: type, phase: str, error: Exception) -> PluginError:
    return PluginError(
        f"{class_name(loaded)}, named by {key}, failed with {type(error).__name__} (phase {phase})",
        hint="read the cause below",
        facts={"key": key, "class": class_name(loaded), "phase": phase},
    )
