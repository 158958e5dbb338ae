"""The settings that taps and targets have in common."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plugwright import ConfigDef, ConfigError, ConfigType, ConfigValue, Importance, Range
from plugwright_singer.masking import Mask, looks_secret, secrets_in
from plugwright_singer.run import Limits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright import AbstractConfig

__all__ = [
    "CONFIG_FILE",
    "CONFIG_PREFIX",
    "DIRECTORY",
    "ENVIRONMENT",
    "EXECUTABLE",
    "HELD_MAX_BYTES",
    "INSTALL",
    "LINE_MAX_BYTES",
    "SECRET_PREFIX",
    "START_TIMEOUT_MS",
    "TAP",
    "TARGET",
    "VERSION",
    "limits_of",
    "mask_of",
    "program_config",
    "shared_definition",
    "validated",
]

VERSION = "0.1.0"

TAP = "singer.tap"
TARGET = "singer.target"
ENVIRONMENT = "singer.environment"
EXECUTABLE = "singer.executable"
INSTALL = "singer.install"
DIRECTORY = "singer.directory"
CONFIG_FILE = "singer.config.file"
CONFIG_PREFIX = "singer.config."
SECRET_PREFIX = "singer.secret."  # noqa: S105  # the name of settings
LINE_MAX_BYTES = "singer.line.max.bytes"
HELD_MAX_BYTES = "singer.buffer.max.bytes"
START_TIMEOUT_MS = "singer.start.timeout.ms"


def shared_definition() -> ConfigDef:
    """A new definition with the settings that both have."""
    return _limits(_program(ConfigDef()))


def _program(definition: ConfigDef) -> ConfigDef:
    return (
        definition.define(
            ENVIRONMENT,
            ConfigType.STRING,
            default=None,
            importance=Importance.HIGH,
            documentation="Directory of the virtual environment that the program is in, or is to "
            "be installed into; without it the program is looked for on the worker's PATH.",
        )
        .define(
            INSTALL,
            ConfigType.BOOLEAN,
            default=False,
            documentation="Whether to make the virtual environment and install the requirement "
            "into it with pip, unless that was done before.",
        )
        .define(
            EXECUTABLE,
            ConfigType.STRING,
            default=None,
            documentation="The program, where it is not called like its package: a name within "
            "the virtual environment, or a path.",
        )
        .define(
            DIRECTORY,
            ConfigType.STRING,
            default=None,
            importance=Importance.LOW,
            documentation="Directory that the program runs in; without it the worker's own.",
        )
        .define(
            CONFIG_FILE,
            ConfigType.STRING,
            default=None,
            documentation="Path of a JSON file with the program's configuration; singer.config.* "
            "and singer.secret.* override what is in it.",
        )
    )


def _limits(definition: ConfigDef) -> ConfigDef:
    return definition.define(
        LINE_MAX_BYTES,
        ConfigType.INT,
        default=16 * 1024 * 1024,
        importance=Importance.LOW,
        validator=Range.at_least(16),
        documentation="The most bytes that one line of the program may have.",
    ).define(
        HELD_MAX_BYTES,
        ConfigType.INT,
        default=32 * 1024 * 1024,
        importance=Importance.LOW,
        validator=Range.at_least(1),
        documentation="The most bytes of lines that wait for the task; a program that is "
        "faster has to wait.",
    )


def program_config(settings: AbstractConfig) -> dict[str, Any]:
    """The program's own configuration: the file, then singer.config.*, then singer.secret.*.

    Raises:
        ConfigError: if the file cannot be read or holds no JSON object.
    """
    found: dict[str, Any] = _from_file(settings.get(CONFIG_FILE))
    for name, text in settings.originals_with_prefix(CONFIG_PREFIX).items():
        if CONFIG_PREFIX + name != CONFIG_FILE and text is not None:
            found[name] = _value(str(text))
    for name, text in settings.originals_with_prefix(SECRET_PREFIX).items():
        if text is not None:
            found[name] = _value(str(text))
    return found


def mask_of(settings: AbstractConfig, config: Mapping[str, Any]) -> Mask:
    """Hides every secret of the program's configuration."""
    given = [str(text) for text in settings.originals_with_prefix(SECRET_PREFIX).values() if text]
    values = secrets_in([_value(text) for text in given], inside=True)
    return Mask([*given, *values, *secrets_in(config)])


def limits_of(settings: AbstractConfig) -> Limits:
    """The limits on the program's buffered output."""
    return Limits(settings.get_int(LINE_MAX_BYTES), settings.get_int(HELD_MAX_BYTES))


def validated(definition: ConfigDef, props: Mapping[str, str]) -> Sequence[ConfigValue]:
    """Every setting with its problems; the program's own ones too, secrets as passwords."""
    whole = ConfigDef(definition)
    for name in props:
        own = name.startswith((CONFIG_PREFIX, SECRET_PREFIX)) and name not in definition.keys
        if own:
            hidden = name.startswith(SECRET_PREFIX) or looks_secret(name)
            whole.define(
                name,
                ConfigType.PASSWORD if hidden else ConfigType.STRING,
                default=None,
                documentation="Goes into the configuration of the program.",
                group="Program",
            )
    return whole.validate(props)


def _value(text: str) -> Any:
    """A JSON value where the text is one, else the text."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _from_file(path: str | None) -> dict[str, Any]:
    if path is None:
        return {}
    try:
        found = json.loads(Path(path).read_text("utf-8"))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not valid JSON"
        raise _bad_file(path, reason) from error
    if not isinstance(found, dict):
        raise _bad_file(path, "it holds no JSON object")
    return found


def _bad_file(path: str, reason: str) -> ConfigError:
    return ConfigError(
        f"{CONFIG_FILE} names {path}, which cannot be used: {reason}",
        code="singer.config-file",
        hint="name a JSON file with an object, as the program's own documentation shows",
        facts={"file": path},
    )
