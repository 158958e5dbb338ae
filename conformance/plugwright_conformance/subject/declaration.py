"""What a plugin says of itself to the suite: the ``conformance.toml`` inside its own package."""

from __future__ import annotations

import hashlib
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plugwright.errors import DiscoveryError
from plugwright_conformance.subject.engines import claimed_engines, engines_problem
from plugwright_conformance.subject.shape import RowShape
from plugwright_conformance.subject.waivers import waivers_from

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from plugwright.plugins import PluginDescriptor
    from plugwright_conformance.subject.waivers import Waiver

__all__ = ["FILE_NAME", "Declaration", "read_declaration"]

FILE_NAME = "conformance.toml"

_FORMAT = 1
_DELIVERIES = ("at-least-once", "exactly-once")
_HEADERS = ("stored", "ignored")
_KEYS = ("optional", "required")
_ORDERS = ("none", "partition", "key")
_RESUMES = ("offsets", "endpoint")
_LONGEST_S = 30.0


@dataclass(frozen=True, slots=True)
class Declaration:
    """One plugin's declaration, read without running any of its code.

    Attributes:
        endpoint: ``module:Class`` of the endpoint driver.
        config: the example configuration; ``{topic}`` stands for the topic of a run.
        capabilities: what the plugin claims to be able to do.
        digest: SHA-256 of the file.
        waivers: leave to fail, from the tables ``[[plugin.waiver]]``.
    """

    endpoint: str
    config: Mapping[str, str]
    capabilities: Mapping[str, Any]
    digest: str
    waivers: Sequence[Waiver] = ()

    @property
    def delivery(self) -> str:
        """``at-least-once`` or ``exactly-once``."""
        return str(self.capabilities.get("delivery", "at-least-once"))

    @property
    def types(self) -> tuple[str, ...]:
        """Names of the types that a value may have."""
        return tuple(self.capabilities.get("types", ("string",)))

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
        """``stored`` or ``ignored`` if the sink says what it does with headers, or nothing."""
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
    def rows(self) -> RowShape | None:
        """The fields of a value that is a row; ``None`` where values are single ones."""
        fields = self.capabilities.get("fields")
        return RowShape.parse(fields) if fields else None

    @property
    def engines(self) -> tuple[str, ...]:
        """The engines that it claims to run on; reading has refused what a source cannot have."""
        return claimed_engines("sink", self.capabilities)

    def claims(self, capability: str) -> bool:
        """Whether a capability is declared at all, and not as false."""
        return self.capabilities.get(capability, False) not in (False, "", "none", {}, [])


def read_declaration(plugin: PluginDescriptor) -> Declaration:
    """Find the declaration beside the plugin's package and read the plugin's part of it.

    Raises:
        DiscoveryError: if there is none, it is no TOML of this format, or it does not speak of
            this plugin.
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
    for entry in _tables(document.get("plugin")):
        if entry.get("class") == plugin.class_name:
            return _parse(plugin, path, entry, hashlib.sha256(data).hexdigest())
    raise _failure(
        plugin,
        "declaration.plugin-missing",
        f"{path} has no [[plugin]] with class = {plugin.class_name!r}",
        "add one, named as in the entry point",
    )


def _path(plugin: PluginDescriptor) -> Path:
    assert plugin.location is not None  # noqa: S101  # subjects stand on a plugin path
    return plugin.location.path / plugin.module.partition(".")[0] / FILE_NAME


def _parse(
    plugin: PluginDescriptor, path: Path, entry: Mapping[str, Any], digest: str
) -> Declaration:
    endpoint, config = entry.get("endpoint"), entry.get("config", {})
    if not isinstance(endpoint, str) or ":" not in endpoint:
        raise _failure(
            plugin,
            "declaration.endpoint",
            f"{path}: endpoint must be 'module:Class', found {endpoint!r}",
            "name the class that starts, seeds and reads back the endpoint",
        )
    if not isinstance(config, dict):
        config = {"config": config}
    if wrong := [key for key, value in config.items() if not isinstance(value, str)]:
        raise _failure(
            plugin,
            "declaration.config",
            f"{path}: settings must be text, these are not: {', '.join(wrong)}",
            "put the values in quotes, as in a properties file",
        )
    capabilities = entry.get("capabilities", {})
    if problem := _capability_problem(capabilities, plugin.type.name):
        raise _failure(
            plugin,
            "declaration.capabilities",
            f"{path}: {problem}",
            "leave a capability out to have its default",
        )
    waivers = waivers_from(entry.get("waiver", []), str(path))
    return Declaration(endpoint, config, capabilities, digest, waivers)


def _tables(found: object) -> list[Mapping[str, Any]]:
    return [t for t in found if isinstance(t, dict)] if isinstance(found, list) else []


def _capability_problem(capabilities: object, kind: str) -> str:
    """What is wrong with the capabilities that the suite itself acts on, or an empty string."""
    if not isinstance(capabilities, dict):
        return f"capabilities must be a table, found {capabilities!r}"
    words_of = {
        "delivery": _DELIVERIES,
        "headers": _HEADERS,
        "keys": _KEYS,
        "order": _ORDERS,
        "resumes": _RESUMES,
    }
    for name, words in words_of.items():
        if (said := capabilities.get(name, words[0])) not in words:
            return f"{name} must be {' or '.join(words)}, found {said!r}"
    for name in ("parallel", "dlq"):
        if not isinstance(claimed := capabilities.get(name, False), bool):
            return f"{name} must be true or false, found {claimed!r}"
    try:
        RowShape.parse(capabilities.get("fields", {}))
    except (ValueError, AttributeError, TypeError) as error:
        return f"fields must be a table of names and types: {error}"
    if problem := _bound_problem(capabilities) or _list_problem(capabilities):
        return problem
    return engines_problem(kind, capabilities["engines"]) if "engines" in capabilities else ""


def _bound_problem(capabilities: Mapping[str, Any]) -> str:
    bound = capabilities.get("visible_after_s", _LONGEST_S)
    number = isinstance(bound, int | float) and not isinstance(bound, bool)
    if number and 0 < bound <= _LONGEST_S:
        return ""
    return f"visible_after_s must be seconds, above 0 and up to {_LONGEST_S:g}, found {bound!r}"


def _list_problem(capabilities: Mapping[str, Any]) -> str:
    for name in ("types", "excluded_characters"):
        found = capabilities.get(name, [])
        if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
            return f"{name} must be a list of text, found {found!r}"
    return ""


def _failure(plugin: PluginDescriptor, code: str, message: str, hint: str) -> DiscoveryError:
    return DiscoveryError(
        f"{plugin.class_name} cannot be certified: {message}",
        code=code,
        hint=hint,
        facts={"plugin": plugin.class_name},
    )
