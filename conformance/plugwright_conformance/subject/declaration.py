"""Reads a plugin's declaration, the ``conformance.toml`` in its package."""

from __future__ import annotations

import hashlib
import re
import tomllib
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from plugwright.errors import DiscoveryError
from plugwright_conformance.subject.declared_keys import (
    MOST_BUFFERED,
    PLUGIN_KEYS,
    TOP_KEYS,
    capability_problems,
    settings_problem,
    unknown_keys,
)
from plugwright_conformance.subject.engines import claimed_engines
from plugwright_conformance.subject.kits import kit_problems
from plugwright_conformance.subject.shape import RowShape
from plugwright_conformance.subject.text_rows import RecordForm, TextRows
from plugwright_conformance.subject.waivers import waivers_from

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from plugwright.plugins import PluginDescriptor
    from plugwright_conformance.subject.declared_keys import DeclaredKey
    from plugwright_conformance.subject.waivers import Waiver

__all__ = ["FILE_NAME", "Declaration", "read_declarations"]

FILE_NAME = "conformance.toml"

_FORMAT = 1
_CAPABILITIES = "declaration.capabilities"
_CONFIG = "declaration.config"
_ENDPOINT = "declaration.endpoint"
_UNKNOWN = "declaration.unknown-key"
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_HINTS = MappingProxyType(
    {
        _ENDPOINT: "name an endpoint kit, or the class that starts, seeds and reads the endpoint",
        _CONFIG: "put the values in quotes, as in a properties file",
        _CAPABILITIES: "leave a capability out to have its default",
        _UNKNOWN: "correct the key, or remove it",
    }
)


@dataclass(frozen=True, slots=True)
class Declaration:
    """One plugin's declaration, read without running any of its code.

    Attributes:
        endpoint: ``module:Class`` of the endpoint driver, or the name of its kit.
        config: the example configuration; ``{topic}`` stands for the topic of a run.
        capabilities: what the plugin claims to be able to do.
        digest: SHA-256 of the file.
        waivers: leave to fail, from the tables ``[[plugin.waiver]]``.
        kit: the options of the endpoint kit; empty if the author has written a driver.
        configuration: its name, if the file has several of the plugin; empty otherwise.
    """

    endpoint: str
    config: Mapping[str, str]
    capabilities: Mapping[str, Any]
    digest: str
    waivers: Sequence[Waiver] = ()
    kit: Mapping[str, Any] = field(default_factory=dict)
    configuration: str = ""

    @property
    def delivery(self) -> str:
        """``at-least-once`` or ``exactly-once``."""
        return str(self.capabilities.get("delivery", "at-least-once"))

    @property
    def exactly_once(self) -> bool:
        """Whether the plugin declares exactly-once delivery."""
        return self.delivery == "exactly-once"

    @property
    def types(self) -> tuple[str, ...]:
        """Names of the types that a value may have that is no row."""
        default = () if "fields" in self.capabilities else ("string",)
        return tuple(self.capabilities.get("types", default))

    @property
    def parallel(self) -> bool:
        """Whether the connector divides its work."""
        return bool(self.capabilities.get("parallel", False))

    @property
    def dead_letters(self) -> bool:
        """Whether the sink reports records that it cannot write (KIP-610)."""
        return bool(self.capabilities.get("dlq", False))

    @property
    def excluded_characters(self) -> tuple[str, ...]:
        """Characters that a string value cannot hold at this endpoint."""
        return tuple(self.capabilities.get("excluded_characters", ()))

    @property
    def headers(self) -> str:
        """The declared handling of headers, ``stored`` or ``ignored``; empty if undeclared."""
        return str(self.capabilities.get("headers", ""))

    @property
    def needs_keys(self) -> bool:
        """Whether the sink refuses records without a key."""
        return self.capabilities.get("keys") == "required"

    @property
    def keeps_own_offsets(self) -> bool:
        """Whether the endpoint itself remembers what a source has read and Kafka acknowledged."""
        return self.capabilities.get("resumes") == "endpoint"

    @property
    def visible_after_s(self) -> float:
        """Seconds after which the endpoint shows what was written; zero if at once."""
        return float(self.capabilities.get("visible_after_s", 0.0))

    @property
    def max_buffered(self) -> int:
        """The most records that a sink's own threads may have in memory."""
        return int(self.capabilities.get("max_buffered", MOST_BUFFERED))

    @property
    def max_poll_records(self) -> int | None:
        """The most records that one poll of a source returns; ``None`` if that is not declared."""
        return self.capabilities.get("max_poll_records")

    @property
    def rows(self) -> RowShape | None:
        """The fields of a value that is a row; ``None`` where values are single ones."""
        fields = self.capabilities.get("fields")
        return RowShape.parse(fields) if fields else None

    @property
    def text_rows(self) -> TextRows | None:
        """The rows that texts are put into; ``None`` where a value may be a text alone."""
        return None if self.types else TextRows.of(self.rows)

    @property
    def record_form(self) -> RecordForm:
        """What a sink's records have, besides the text that is followed."""
        return RecordForm(self.needs_keys, self.text_rows)

    @property
    def engines(self) -> tuple[str, ...]:
        """The engines that it claims to run on; reading has refused what a source cannot have."""
        return claimed_engines("sink", self.capabilities)

    def claims(self, capability: str) -> bool:
        """Whether a capability is declared at all, and not as false."""
        return self.capabilities.get(capability, False) not in (False, "", "none", {}, [])


def read_declarations(plugin: PluginDescriptor) -> Sequence[Declaration]:
    """Find the declaration beside the plugin's package and read the plugin's parts of it.

    Returns:
        One for each ``[[plugin]]`` table of the plugin, in their order.

    Raises:
        DiscoveryError: if there is none, it is no TOML of this format, it does not speak of this
            plugin, or a key or a value is wrong, naming all of them.
    """
    path = _path(plugin)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise _failure(
            plugin,
            "declaration.missing",
            f"{path} cannot be read: {error.strerror}",
            f"ship a {FILE_NAME} in the package, with endpoint, config and capabilities",
        ) from error
    try:
        document = tomllib.loads(data.decode())
    except ValueError as error:
        raise _failure(plugin, "declaration.syntax", f"{path}: {error}", "mend the file") from error
    if document.get("format") != _FORMAT:
        found = document.get("format")
        raise _failure(
            plugin,
            "declaration.format",
            f"{path} must have format = {_FORMAT}, found {found!r}",
            f"write format = {_FORMAT} in its first line",
        )
    strange = unknown_keys(document, _names(TOP_KEYS), FILE_NAME)
    digest, tables = hashlib.sha256(data).hexdigest(), _tables(document.get("plugin"))
    entries = [entry for entry in tables if entry.get("class") == plugin.class_name]
    if not entries:
        missing = f"has no [[plugin]] with class = {plugin.class_name!r}"
        raise _failure(
            plugin,
            "declaration.plugin-missing",
            "; ".join([f"{path} {missing}", *strange]),
            "add one, named as in the entry point",
        )
    _require_names(plugin, path, [entry.get("configuration", "") for entry in entries])
    return [_parse(plugin, path, entry, digest, strange) for entry in entries]


def _require_names(plugin: PluginDescriptor, path: Path, names: Sequence[object]) -> None:
    """Require a name for each of several configurations, and different ones."""
    wrong = [name for name in names if not isinstance(name, str) or not _NAME.fullmatch(name)]
    if names == [""] or (not wrong and len({*names}) == len(names)):
        return
    raise _failure(
        plugin,
        "declaration.configuration",
        f"{path}: each of its [[plugin]] tables must have a configuration of its own, in small "
        f"letters, digits and hyphens, found {', '.join(map(repr, names))}",
        'add lines such as configuration = "avro"',
    )


def _path(plugin: PluginDescriptor) -> Path:
    assert plugin.location is not None  # noqa: S101  # subjects stand on a plugin path
    return plugin.location.path / plugin.module.partition(".")[0] / FILE_NAME


def _parse(
    plugin: PluginDescriptor,
    path: Path,
    entry: Mapping[str, Any],
    digest: str,
    strange: Sequence[str],
) -> Declaration:
    endpoint, config = entry.get("endpoint"), entry.get("config", {})
    capabilities = entry.get("capabilities", {})
    problems = [
        *_endpoint_problems(endpoint),
        *_row_problems(endpoint, capabilities),
        *_config_problems(config),
        *((_CAPABILITIES, each) for each in capability_problems(plugin.type.name, capabilities)),
        *((_UNKNOWN, each) for each in unknown_keys(entry, _names(PLUGIN_KEYS), "[[plugin]]")),
        *((_UNKNOWN, each) for each in strange),
    ]
    if problems:
        code, first = problems[0]
        found = first if len(problems) == 1 else _listed([each for _, each in problems])
        raise _failure(plugin, code, f"{path}: {found}", _HINTS[code])
    waivers = waivers_from(entry.get("waiver", []), str(path))
    kit = endpoint if isinstance(endpoint, dict) else {}
    return Declaration(
        endpoint=str(kit.get("kit", endpoint)),
        config=config,
        capabilities=capabilities,
        digest=digest,
        waivers=waivers,
        kit=kit,
        configuration=entry.get("configuration", ""),
    )


def _endpoint_problems(endpoint: object) -> list[tuple[str, str]]:
    if isinstance(endpoint, dict):
        return [(_ENDPOINT, each) for each in kit_problems(endpoint)]
    if isinstance(endpoint, str) and ":" in endpoint:
        return []
    return [(_ENDPOINT, f"endpoint must be 'module:Class' or a table, found {endpoint!r}")]


def _row_problems(endpoint: object, capabilities: object) -> list[tuple[str, str]]:
    rows = isinstance(capabilities, dict) and "fields" in capabilities
    if rows and isinstance(endpoint, dict):
        return [(_ENDPOINT, "endpoint kits have no rows: write a driver, or declare no fields")]
    return []


def _config_problems(config: object) -> list[tuple[str, str]]:
    problem = settings_problem(config)
    what = "settings" if isinstance(config, dict) else "config"
    return [(_CONFIG, f"{what} {problem}")] if problem else []


def _listed(problems: Sequence[str]) -> str:
    """Several problems, a line each."""
    return "\n".join([f"{len(problems)} problems", *(f"- {each}" for each in problems)])


def _names(keys: Iterable[DeclaredKey]) -> list[str]:
    return [key.name for key in keys]


def _tables(found: object) -> list[Mapping[str, Any]]:
    return [t for t in found if isinstance(t, dict)] if isinstance(found, list) else []


def _failure(plugin: PluginDescriptor, code: str, message: str, hint: str) -> DiscoveryError:
    return DiscoveryError(
        f"{plugin.class_name} cannot be certified: {message}",
        code=code,
        hint=hint,
        facts={"plugin": plugin.class_name},
    )
