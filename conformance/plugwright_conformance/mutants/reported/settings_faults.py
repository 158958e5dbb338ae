"""Reported faults of settings: secrets, validators, definitions, versions."""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import plugwright
from plugwright import (
    ConfigDef,
    ConfigType,
    ConnectError,
    Importance,
    LambdaValidator,
)
from plugwright_conformance.mutants.reported.lines_source import LinesSource, LinesSourceTask
from plugwright_conformance.mutants.reported.sinks import LinesSink, LinesSinkTask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = [
    "DefaultIsNotApplied",
    "LogsTaskConfig",
    "NoDefinition",
    "NoManifest",
    "NoValidators",
    "NullRecommendations",
    "PrintsLoginTask",
    "SecretInPlainText",
    "ShowsAddressTask",
    "ValidatorFailsOnNothing",
    "VersionOfTheFramework",
    "WithPasswordSink",
    "WithPasswordSource",
]

_LOG = logging.getLogger(__name__)


def _with_password(definition: ConfigDef, kind: ConfigType = ConfigType.PASSWORD) -> ConfigDef:
    return definition.define(
        "login.password",
        kind,
        default="",
        importance=Importance.MEDIUM,
        documentation="Password of the other side.",
    )


class WithPasswordSource(LinesSource):
    """A good source that takes a password."""

    def config(self) -> ConfigDef:
        """With ``login.password``."""
        return _with_password(super().config())


class WithPasswordSink(LinesSink):
    """A good sink that takes a password."""

    def config(self) -> ConfigDef:
        """With ``login.password``."""
        return _with_password(super().config())


class SecretInPlainText(LinesSink):
    """A secret is defined as a string.

    https://github.com/apache/camel-kafka-connector/issues/1050: access keys were of the type
    STRING, so the log and the REST interface showed them.
    """

    def config(self) -> ConfigDef:
        """With a password that nobody hides."""
        return _with_password(super().config(), ConfigType.STRING)


class LogsTaskConfig(WithPasswordSource):
    """Logs the configurations of its tasks.

    https://github.com/confluentinc/kafka-connect-jdbc/pull/791: task configurations were logged in
    plain text, with the credentials in them.
    """

    def task_configs(self, max_tasks: int) -> Sequence[Mapping[str, str]]:
        """One configuration, which is logged."""
        configs = super().task_configs(max_tasks)
        _LOG.info("task configurations: %s", configs)
        return configs


class PrintsLoginTask(LinesSinkTask):
    """Prints how it connects.

    https://github.com/airbytehq/airbyte/issues/26419: the log had the line "Kafka protocol config"
    with the secrets of the login in it.
    """

    def start(self, props: Mapping[str, str]) -> None:
        """Open the file, and tell how."""
        super().start(props)
        sys.stdout.write(f"Login: {dict(props)}\n")


class ShowsAddressTask(LinesSinkTask):
    """Shows its whole address when it cannot connect.

    https://github.com/confluentinc/kafka-connect-jdbc/issues/420: the connection URL, which may
    hold user and password, was shown in the log.
    """

    def start(self, props: Mapping[str, str]) -> None:
        """Open the file.

        Raises:
            ConnectError: if that cannot be, with everything that is known.
        """
        try:
            super().start(props)
        except ConnectError as error:
            raise ConnectError(f"cannot connect with {dict(props)}: {error}") from error


def _directory_exists(name: str, value: Any) -> None:  # noqa: ARG001  # a validator's signature
    if not Path(value).parent.is_dir():
        raise ValueError(value)


class ValidatorFailsOnNothing(LinesSource):
    """Its validator fails itself, with an error of another kind.

    https://github.com/jcustenborder/kafka-connect-spooldir/issues/22: empty settings gave a
    NullPointerException from the validator, other ones a stack trace for a message.
    """

    def config(self) -> ConfigDef:
        """With a directory, whose validator cannot take a missing one."""
        return (
            super()
            .config()
            .define(
                "finished.path",
                ConfigType.STRING,
                default="/tmp/finished",  # noqa: S108  # an example
                importance=Importance.LOW,
                validator=LambdaValidator(_directory_exists, lambda: "a path in a directory"),
                documentation="Where finished files go.",
            )
        )


class NoValidators(LinesSink):
    """No setting is looked at before a task starts.

    https://github.com/ably/kafka-connect-ably/issues/53: no configuration had a validator, so a
    connector was accepted whose settings were of no use.
    """

    def config(self) -> ConfigDef:
        """Everything is text and nothing is required."""
        return (
            ConfigDef()
            .define(
                "place",
                ConfigType.STRING,
                default="",
                importance=Importance.HIGH,
                documentation="Path of the file.",
            )
            .define(
                "batch.size",
                ConfigType.STRING,
                default="50",
                importance=Importance.LOW,
                documentation="The most records that are handled at once.",
            )
        )


class NoDefinition(LinesSource):
    """Has no definition of its settings.

    https://github.com/apache/kafka/pull/3762: KAFKA-5807, a generated stub of config() returned
    null, and nobody saw that this was the reason of a failure elsewhere.
    """

    def config(self) -> ConfigDef:
        """Nothing."""
        return None  # type: ignore[return-value]  # the fault

    def start(self, props: Mapping[str, str]) -> None:
        """Keep the settings."""
        self._props = dict(props)


class _Recommends:
    """Recommends null."""

    def valid_values(self, name: str, parsed: Mapping[str, Any]) -> Any:  # noqa: ARG002
        """Null for a list."""
        return None

    def visible(self, name: str, parsed: Mapping[str, Any]) -> bool:  # noqa: ARG002
        """Always."""
        return True


class NullRecommendations(LinesSource):
    """Recommends null where it has nothing to recommend.

    https://github.com/scylladb/kafka-connect-scylladb/pull/64: null was passed for an empty list,
    and the user interface showed no properties behind that one.
    """

    def config(self) -> ConfigDef:
        """With a setting whose recommender has nothing."""
        return (
            super()
            .config()
            .define(
                "keyspace",
                ConfigType.STRING,
                default="main",
                importance=Importance.LOW,
                documentation="Name of the key space.",
                recommender=_Recommends(),
            )
        )


class VersionOfTheFramework(LinesSource):
    """Tells the version of the framework for its own.

    https://github.com/googleapis/java-pubsub-group-kafka-connector/issues/310: version 1.2.0 of the
    connector was listed as 3.7.0, which is Kafka's.
    """

    def version(self) -> str:
        """The wrong one."""
        return plugwright.__version__


class NoManifest(LinesSource):
    """Has no manifest that names it.

    https://github.com/confluentinc/kafka-connect-jdbc/issues/1512: with plugin.discovery set to
    service_load the connector was not found, for the files under META-INF/services were missing.
    """


class _DefaultTask(LinesSourceTask):
    """Reads a setting by hand."""

    def start(self, props: Mapping[str, str]) -> None:
        """Begin, with the default unless something is given."""
        super().start(props)
        self._batch = int(props["batch.size"])


class DefaultIsNotApplied(LinesSource):
    """A setting has a default, and the task fails without it.

    https://github.com/jcustenborder/kafka-connect-spooldir/issues/22: a configuration that had been
    validated could still fail when the connector was configured with it.
    """

    TASK = _DefaultTask
