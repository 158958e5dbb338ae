"""The counterpart of the Java package ``versioned``: one class in several locations."""

from __future__ import annotations

from pathlib import Path

from plugwright import ConfigDef, ConfigType, Importance, SinkConnector, SinkTask


def _own_version():
    return Path(__file__).with_name("version.txt").read_text("utf-8").strip()


class VersionedSinkConnector(SinkConnector):
    """Has a version and one setting of its own in each location."""

    def version(self):
        """Of the location."""
        return _own_version()

    def config(self):
        """Only this version has it."""
        version = _own_version()
        return ConfigDef().define(
            f"since.{version}",
            ConfigType.STRING,
            version,
            Importance.LOW,
            "Only this version has it.",
        )

    def start(self, props):
        """Keep them for the tasks."""
        self.props = dict(props)

    def task_class(self):
        """The one that takes."""
        return VersionedSinkTask

    def task_configs(self, max_tasks):
        """As many as there may be."""
        return [self.props] * max_tasks

    def stop(self):
        """Nothing is held."""


class VersionedSinkTask(SinkTask):
    """Takes its records."""

    def version(self):
        """Of the location."""
        return _own_version()

    def start(self, props):
        """Nothing is needed."""

    def put(self, records):
        """Take them."""

    def stop(self):
        """Nothing is held."""
