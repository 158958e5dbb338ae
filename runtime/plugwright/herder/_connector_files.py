"""Reads the connector files that ``connect-standalone`` takes, one connector each."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from plugwright.config import parse_properties
from plugwright.control_plane import CreateConnector
from plugwright.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_SCALARS = (str, int, float, bool)
_TARGETS = {"RUNNING": "STARTED", "PAUSED": "PAUSED", "STOPPED": "STOPPED"}


def read_connector_file(path: Path) -> CreateConnector:
    """Read the connector that a file describes.

    A JSON object of settings, a JSON object with ``name``, ``config`` and ``initial_state`` as for
    ``POST /connectors``, or properties, tried in this order (Kafka's ``ConnectStandalone``). The
    initial state is returned as a target state.

    Raises:
        ConfigError: if the file cannot be read, has none of these formats, or names no connector.
    """
    text = _text(path)
    content = _json_object(text)
    if content is not None and _is_request(content):
        return _request(path, content)
    flat = content is not None and _is_flat(content)
    settings = _texts(content or {}) if flat else _properties(path, text)
    return CreateConnector(_named(path, settings.get("name")), settings)


def read_settings_file(path: Path) -> dict[str, str]:
    """Read a properties file.

    Raises:
        ConfigError: if the file cannot be read or is not a properties file.
    """
    return _properties(path, _text(path))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigError(
            f"file {path} cannot be read: {reason}",
            code="config.unreadable-file",
            hint="name a readable file of settings in UTF-8",
            facts={"file": str(path)},
        ) from error


def _json_object(text: str) -> dict[str, Any] | None:
    try:
        content = json.loads(text)
    except ValueError:
        return None
    return content if isinstance(content, dict) else None


def _is_flat(content: Mapping[str, Any]) -> bool:
    return all(value is None or isinstance(value, _SCALARS) for value in content.values())


def _texts(content: Mapping[str, Any]) -> dict[str, str | None]:
    """Settings as strings, as Jackson converts scalar values."""
    return {key: None if value is None else _text_of(value) for key, value in content.items()}


def _text_of(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _is_request(content: Mapping[str, Any]) -> bool:
    return isinstance(content.get("config"), dict) and content.keys() <= {
        "name",
        "config",
        "initial_state",
    }


def _request(path: Path, content: Mapping[str, Any]) -> CreateConnector:
    config = _texts(content["config"])
    name = _named(path, content.get("name") or config.get("name"))
    state = str(content.get("initial_state") or "RUNNING").upper()
    if state not in _TARGETS:
        raise ConfigError(
            f"connector file {path} has initial_state {content['initial_state']!r}, which is not "
            f"one of {', '.join(_TARGETS)}",
            hint="correct or remove initial_state",
            facts={"file": str(path), "initial_state": str(content["initial_state"])},
        )
    return CreateConnector(name, {**config, "name": name}, _TARGETS[state])


def _named(path: Path, name: str | None) -> str:
    if not name:
        raise ConfigError(
            f"connector file {path} does not name its connector",
            code="config.no-connector-name",
            hint="add the setting name",
            facts={"file": str(path)},
        )
    return name


def _properties(path: Path, text: str) -> dict[str, str]:
    try:
        return parse_properties(text)
    except ConfigError as error:
        raise ConfigError(
            f"file {path}: {error}", code=error.code, hint=error.hint, facts=error.facts
        ) from error
