"""Sends plugin locations to the executors of a cluster, as files of the Spark session.

Spark gives each executor the files of the session before its next task, over its own authenticated
and encrypted connection, and the cluster removes them with the application.
"""

from __future__ import annotations

import os
import threading
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

from plugwright.shipping import contents_stamp, pack_location
from plugwright.spark.secured import is_local, runs_in_process
from plugwright.spark.session import session_scratch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyspark.sql import SparkSession

    from plugwright.spark._spec import TaskSpec


class Shipments:
    """Archives locations and adds them to a session, once for each content.

    Args:
        add_file: Spark's ``SparkContext.addFile``.
        directory: takes the archives for as long as the session runs.
    """

    @classmethod
    def of(cls, session: SparkSession, distribution: str) -> Self | None:
        """The shipments of a session; ``None`` if executors have the locations already.

        Args:
            session: made by `open_session`.
            distribution: ``ship``, ``present``, or ``auto`` for what the master needs.
        """
        context = session.sparkContext
        master = str(context.master)
        here = runs_in_process(master) or (distribution == "auto" and is_local(master))
        scratch = session_scratch(session)
        if distribution == "present" or here or scratch is None:
            return None
        return cls(context.addFile, scratch)

    def __init__(self, add_file: Callable[[str], None], directory: Path) -> None:
        self._add_file = add_file
        self._directory = directory
        self._sent: dict[tuple[str, str], str] = {}
        self._sending = threading.Lock()

    def path(self, python_path: str) -> str:
        """What executors import from: the names of the archives, separated as in PYTHONPATH.

        Raises:
            SetupError: if a location cannot be read.
        """
        return os.pathsep.join(self._archive(each) for each in python_path.split(os.pathsep))

    def specs(self, specs: Sequence[TaskSpec], python_path: str) -> Sequence[TaskSpec]:
        """The same tasks, which know what their locations are called on an executor.

        Raises:
            SetupError: if a location cannot be read.
        """
        stages = [each for path in specs[0].stage_paths for each in path]
        locations = filter(None, dict.fromkeys([*python_path.split(os.pathsep), *stages]))
        shipped = {each: self._archive(each) for each in locations}
        return [replace(spec, shipped=shipped) for spec in specs]

    def _archive(self, location: str) -> str:
        if not location:
            return ""
        with self._sending:
            key = location, contents_stamp(Path(location))
            if key not in self._sent:
                archive = pack_location(Path(location), self._directory)
                self._add_file(str(archive))
                self._sent[key] = archive.name
            return self._sent[key]
