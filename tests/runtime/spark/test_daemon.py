"""What the daemon of Python workers does before it forks, without Spark."""

from __future__ import annotations

import importlib
import sys
from zipfile import ZipFile
from zipimport import zipimporter

from plugwright.spark import daemon


def test_archives_are_not_read_anew_by_each_worker(tmp_path, monkeypatch):
    """Their importers are forgotten; what else is in an archive can be imported all the same."""
    archive = tmp_path / "spark.zip"
    with ZipFile(archive, "w") as file:
        file.writestr("archived_first.py", "")
        file.writestr("archived_second.py", "")
    monkeypatch.syspath_prepend(str(archive))
    importlib.import_module("archived_first")

    daemon.forget_archives()

    assert not [i for i in sys.path_importer_cache.values() if isinstance(i, zipimporter)]
    assert importlib.import_module("archived_second").__file__.startswith(str(archive))
