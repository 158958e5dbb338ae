"""Applies the worker's policy for client overrides of connectors (KIP-458)."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from plugwright.errors import ConfigError, ConnectError, NotFoundError
from plugwright.metrics import OwnPluginMetrics, watched
from plugwright.override_policy import ClientConfigOverridePolicy, ClientConfigRequest
from plugwright.plugins import OVERRIDE_POLICY

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright.config import ConfigValue
    from plugwright.herder._worker_config import WorkerConfig
    from plugwright.plugins import PluginDescriptor, Plugins

_KEY = "connector.client.config.override.policy"
_CLIENTS = ("producer", "consumer", "admin")


def override_policy(
    worker: WorkerConfig, plugins: Plugins, metrics: OwnPluginMetrics | None = None
) -> ClientConfigOverridePolicy:
    """Create the configured policy that a worker's settings name by alias or class name.

    Raises:
        ConfigError: if there is no such policy, listing those that exist, or its settings are
            wrong.
        DiscoveryError: if it cannot be loaded.
    """
    policy: ClientConfigOverridePolicy = plugins.load(_found(worker.override_policy, plugins))()
    policy.configure(worker.originals)
    metrics = metrics or OwnPluginMetrics({})
    watched(policy, metrics, config=_KEY, **{"class": type(policy).__name__})
    return policy


def _found(name: str, plugins: Plugins) -> PluginDescriptor:
    with suppress(NotFoundError):
        return plugins.find(name, OVERRIDE_POLICY)
    known = [p for p in (*plugins.descriptors, *plugins.builtin) if p.type == OVERRIDE_POLICY]
    aliases = {_alias(plugin): plugin for plugin in reversed(known)}
    for alias, plugin in aliases.items():
        if alias.lower() == name.lower():
            return plugin
    message = (
        f"Invalid value {name} for configuration {_KEY}: must be one of "
        f"{', '.join(sorted(aliases))}"
    )
    raise ConfigError(
        message,
        hint="name one of them, or install the plugin that has it on plugin.path",
        facts={"key": _KEY, "problems": ((_KEY, message),)},
    )


def _alias(plugin: PluginDescriptor) -> str:
    return plugin.qualname.rpartition(".")[2].removesuffix(OVERRIDE_POLICY.suffix)


def validate_overrides(
    policy: ClientConfigOverridePolicy,
    properties: Mapping[str, str],
    *,
    kind: str = "",
    class_name: str = "",
) -> Sequence[ConfigValue]:
    """The overrides of a connector that the worker's policy rejects, each with its error.

    Args:
        policy: the worker's.
        properties: the connector's configuration, resolved.
        kind: ``source`` or ``sink``.
        class_name: of the connector's plugin.

    Raises:
        ConnectError: if the policy itself fails.
    """
    found: list[ConfigValue] = []
    for client in _CLIENTS:
        prefix = f"{client}.override."
        settings = {
            key.removeprefix(prefix): value
            for key, value in properties.items()
            if key.startswith(prefix)
        }
        if settings:
            name = properties.get("name", "")
            request = ClientConfigRequest(name, kind, class_name, client, settings)
            found += _refused(policy, request, prefix)
    return found


def _refused(
    policy: ClientConfigOverridePolicy, request: ClientConfigRequest, prefix: str
) -> list[ConfigValue]:
    try:
        values = policy.validate(request)
    except Exception as error:
        raise ConnectError(
            f"the policy {type(policy).__qualname__} failed to judge the {request.client_type} "
            f"settings of {request.connector}: {type(error).__name__}",
            code="herder.policy-failed",
            hint="see the worker's log",
            facts={"policy": type(policy).__qualname__},
        ) from error
    return [replace(each, name=f"{prefix}{each.name}") for each in values if each.error_messages]
