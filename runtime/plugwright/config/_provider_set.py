"""Creates and configures the config providers that a configuration declares."""

from __future__ import annotations

import logging
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Final

from plugwright.config._classes import resolve_class
from plugwright.config._problems import invalid_value
from plugwright.config._provider import ConfigProvider
from plugwright.errors import ConfigError, PluginError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from plugwright.config._classes import ClassResolver

CONFIG_PROVIDERS: Final = "config.providers"

_LOG = logging.getLogger("plugwright.config")


@contextmanager
def config_providers(
    props: Mapping[str, object], class_loader: ClassResolver | None = None
) -> Iterator[dict[str, ConfigProvider]]:
    """The providers that ``config.providers`` names; they are closed at the end of the block.

    ``config.providers.<name>.class`` names the class, settings under
    ``config.providers.<name>.param.`` are passed to the provider. A name without a class is skipped
    with a warning, as in Kafka; references to it are not resolved.

    Args:
        props: the configuration that declares them.
        class_loader: loads provider classes by name or alias; by default the context's resolver.

    Raises:
        ConfigError: if a class cannot be loaded or refuses its settings.
        PluginError: if a provider cannot be created or configured.
    """
    with ExitStack() as stack:
        providers: dict[str, ConfigProvider] = {}
        for name in _declared(props):
            provider = _made(name, props, class_loader)
            if provider is not None:
                stack.callback(_close_quietly, name, provider)
                _configure(name, provider, props)
                providers[name] = provider
        yield providers


def _declared(props: Mapping[str, object]) -> list[str]:
    names = props.get(CONFIG_PROVIDERS)
    if isinstance(names, list | tuple):
        return list(map(str, names))
    parts = [part.strip() for part in names.split(",")] if isinstance(names, str) else []
    return list(dict.fromkeys(filter(None, parts)))


def _made(
    name: str, props: Mapping[str, object], class_loader: ClassResolver | None
) -> ConfigProvider | None:
    key = f"{CONFIG_PROVIDERS}.{name}.class"
    value = props.get(key)
    if value is None:
        _LOG.warning("The config provider %s is not used: %s is not set", name, key)
        return None
    try:
        loaded = value if isinstance(value, type) else resolve_class(str(value), class_loader)
    except ImportError as error:
        message = "Could not load config provider class or one of its dependencies"
        raise invalid_value(key, value, message) from error
    if not issubclass(loaded, ConfigProvider):
        raise invalid_value(key, value, "The class is not a ConfigProvider")
    try:
        return loaded()
    except Exception as error:
        raise _failed(name, "construct", error) from error


def _configure(name: str, provider: ConfigProvider, props: Mapping[str, object]) -> None:
    prefix = f"{CONFIG_PROVIDERS}.{name}.param."
    settings = {
        key.removeprefix(prefix): value
        for key, value in props.items()
        if key.startswith(prefix) and key != prefix
    }
    try:
        provider.configure(settings)
    except ConfigError:
        raise
    except Exception as error:
        raise _failed(name, "configure", error) from error


def _close_quietly(name: str, provider: ConfigProvider) -> None:
    """Close at the end; errors are only logged, so that they do not hide an earlier one."""
    try:
        provider.close()
    except Exception:  # noqa: BLE001  # code of a plugin; logged, nothing depends on it
        _LOG.warning("Failed to close config provider %s", name, exc_info=True)


def _failed(name: str, phase: str, error: Exception) -> PluginError:
    return PluginError(
        f"The config provider {name} failed with {type(error).__name__} (phase {phase})",
        code="config.provider-failed",
        hint="check the provider's settings",
        facts={"provider": name, "phase": phase},
    )
