"""A connector with all plugins that its configuration names, in as many processes as needed."""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from plugwright.errors import ConnectError
from plugwright.hosts._service import chain_settings
from plugwright.hosts._setup import ConnectorSetup, Parts
from plugwright.hosts.stage import StageSetup
from plugwright.plugins import (
    PREDICATE,
    TRANSFORMATION,
    Composition,
    partition,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from plugwright.config import ConfigValue
    from plugwright.connector import ConnectorTransactionBoundaries, ExactlyOnceSupport
    from plugwright.hosts._setup import (
        ChainSetup,
        ConnectorService,
        ConverterSetup,
        Examined,
        HostedContext,
        TaskPlan,
    )
    from plugwright.hosts.hosts import PluginHosts
    from plugwright.plugins import ClassReference, Location, PluginDescriptor, Plugins

log = logging.getLogger(__name__)

_CHAIN_KINDS = {"transforms": TRANSFORMATION, "predicates": PREDICATE}


class HostedConnector:
    """A connector that was created and queried for its configuration, not started yet.

    Args:
        hosts: the processes.
        plugin: the connector's plugin; nothing is created if it is not installed.
        properties: its whole configuration, references resolved.
        converters: the converters of its tasks.
        chain: the transformations and predicates of its tasks.

    Attributes:
        values: every setting of the chain, the connector and its converters, with its problems.
        definitions: the definitions of these settings, as the REST API shows them.

    Raises:
        DiscoveryError: if a plugin cannot be loaded.
        PluginError: if one fails, hangs or ends its process when it is created or called.
    """

    def __init__(
        self,
        hosts: PluginHosts,
        plugin: PluginDescriptor | None,
        properties: Mapping[str, Any],
        converters: Sequence[ConverterSetup],
        chain: ChainSetup,
    ) -> None:
        self._hosts = hosts
        self._key = hosts.fresh_key(properties.get("name", ""))
        self._chain = chain
        named = dict(_chain_plugins(chain, hosts.plugins))
        others = [
            *named.values(),
            *(converter.plugin for converter in converters),
            *_named_in_full(properties, hosts.plugins),
        ]
        self._compositions = _processes(hosts, plugin, others)
        self._services: list[ConnectorService] = []
        setup = ConnectorSetup(plugin, properties, tuple(converters), chain)
        try:
            examined = self._open(setup)
            self.values = list(_merged(examined, named, self._process))
            self.own = frozenset(value.name for value in examined[0].connector)
            self.definitions = [d for each in examined for d in each.definitions]
        except BaseException:
            self.stop()
            raise

    @property
    def pids(self) -> tuple[int, ...]:
        """The driver processes that it runs in; the connector's own comes first."""
        return tuple(service.pid() for service in self._services)

    @property
    def python_path(self) -> tuple[str, ...]:
        """The import path of its tasks, with the connector's own location first."""
        return _paths(self._compositions[0])

    def start(self, context: HostedContext) -> None:
        """Initialize and start it.

        Raises:
            PluginError: if it fails, hangs, or ends its process.
            ConnectError: raised by the connector.
        """
        self._services[0].start(self._key, context)

    def exactly_once_support(self, config: Mapping[str, str]) -> ExactlyOnceSupport | None:
        """Ask whether it supports exactly-once delivery with a configuration (KIP-618).

        Raises:
            PluginError: if it fails, hangs, or ends its process.
        """
        answer: ExactlyOnceSupport | None = self._services[0].ask(
            self._key, "exactly_once_support", config
        )
        return answer

    def can_define_transaction_boundaries(
        self, config: Mapping[str, str]
    ) -> ConnectorTransactionBoundaries | None:
        """Ask whether its tasks can define transaction boundaries (KIP-618).

        Raises:
            PluginError: if it fails, hangs, or ends its process.
        """
        answer: ConnectorTransactionBoundaries | None = self._services[0].ask(
            self._key, "can_define_transaction_boundaries", config
        )
        return answer

    def alter_offsets(self, config: Mapping[str, str], offsets: Mapping[Any, Any]) -> bool:
        """Ask it to check offsets that are to be altered (KIP-875); whether it took part.

        Raises:
            PluginError: if it fails, hangs, or ends its process.
            ConnectError: raised by the connector, if it rejects them.
        """
        return bool(self._services[0].ask(self._key, "alter_offsets", config, offsets))

    def tasks(self, most: int) -> TaskPlan:
        """Generate the task configurations.

        Raises:
            PluginError: if it fails, hangs, or ends its process.
        """
        return self._services[0].tasks(self._key, most)

    def surroundings(self) -> StageSetup:
        """The setup of the plugins around its tasks, with the process that runs each.

        Raises:
            ConfigError: naming every setting of the chain that is missing or wrong.
            PluginError: if a plugin fails, hangs, or ends its process.
        """
        parts = [service.parts(self._key) for service in self._services]
        return StageSetup(
            chain_settings(self._chain.settings),
            dict(_numbered(parts, "transforms")),
            dict(_numbered(parts, "converters")),
            tuple(_paths(composition) for composition in self._compositions[1:]),
        )

    def stop(self) -> None:
        """Stop it and release its processes; its exceptions are ignored."""
        for service in self._services:
            try:
                service.stop(self._key)
            except ConnectError as error:
                log.warning("ignored: %s", error, exc_info=error)
            self._hosts.release(service)
        self._services = []

    def _open(self, setup: ConnectorSetup) -> list[Examined]:
        if not self._hosts.isolated:
            service = self._hosts.acquire(())
            self._services.append(service)
            return [service.open(self._key, setup)]
        everywhere = [each for composition in self._compositions for each in composition.path]
        for composition in self._compositions:  # all at once: each takes time to start
            self._services.append(self._hosts.acquire(composition.path))
        examined = []
        for number, service in enumerate(self._services):
            here = self._compositions[number].path
            apart = tuple(location for location in everywhere if location not in here)
            own = replace(setup, number=number, here=here, apart=apart)
            examined.append(service.open(self._key, own))
        return examined

    def _process(self, plugin: PluginDescriptor) -> int:
        for number, composition in enumerate(self._compositions):
            if plugin.location in composition.path:
                return number
        return 0


def _processes(
    hosts: PluginHosts, plugin: PluginDescriptor | None, others: Sequence[PluginDescriptor]
) -> tuple[Composition, ...]:
    own = plugin.location if plugin else None
    if not hosts.isolated:
        return (Composition(() if own is None else (own,)),)
    locations: list[Location] = [p.location for p in others if p.location is not None]
    compositions = partition(own, locations)
    if plugin and len(compositions) > 1:
        log.info("%s: %s", plugin.class_name, compositions[0])
    return compositions


def _chain_plugins(chain: ChainSetup, plugins: Plugins) -> Iterator[tuple[str, PluginDescriptor]]:
    """The plugins of transformations and predicates, by the prefix of their settings.

    Unknown names are skipped; the validation reports them.
    """
    for kind, plugin_type in _CHAIN_KINDS.items():
        for alias in dict.fromkeys(chain.settings.get(kind, "").split(",")):
            prefix = f"{kind}.{alias.strip()}."
            with suppress(ConnectError):
                name = chain.settings.get(f"{prefix}type", "").strip()
                yield prefix, chain.find(plugins, name, plugin_type)


def _named_in_full(properties: Mapping[str, str], plugins: Plugins) -> Iterator[PluginDescriptor]:
    """Plugins that the connector's own settings may name, such as the converter of a format."""
    values = set(properties.values())
    return (plugin for plugin in plugins.descriptors if plugin.class_name in values)


def _merged(
    examined: Sequence[Examined],
    chain: Mapping[str, PluginDescriptor],
    process: Callable[[PluginDescriptor], int],
) -> Iterator[ConfigValue]:
    """All values in Kafka's order, those of each alias from its own process."""
    done: set[str] = set()
    for value in examined[0].chain:
        prefix = next((p for p in chain if value.name.startswith(p)), "")
        number = process(chain[prefix]) if prefix else 0
        if not number:
            yield value
        elif prefix not in done:
            done.add(prefix)
            yield from (v for v in examined[number].chain if v.name.startswith(prefix))
    yield from examined[0].connector
    found = {key: values for each in examined for key, values in each.converters.items()}
    for key in sorted(found, key=["key.converter", "value.converter", "header.converter"].index):
        yield from found[key]


def _numbered(parts: Sequence[Parts], kind: str) -> Iterator[tuple[str, ClassReference]]:
    for number, each in enumerate(parts):
        references: Mapping[str, ClassReference] = getattr(each, kind)
        for name, reference in references.items():
            yield name, replace(reference, process=number)


def _paths(composition: Composition) -> tuple[str, ...]:
    return tuple(str(location.path.resolve()) for location in composition.path)
