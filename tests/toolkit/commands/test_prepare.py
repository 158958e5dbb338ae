"""``plugwright prepare``: Kafka and Spark use the archives that it makes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from plugwright.cache import cache_directory

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.timeout(300)]

_MAPPED = """\
import sys
from pathlib import Path
from plugwright.kafka.brokers import open_broker
from plugwright.spark import close_session, open_session

def mapped(process):
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return Path(f"/proc/{process}/maps").read_text() + "".join(map(mapped, children))

from os import getpid
for file in sys.argv[1:]:
    assert file not in mapped(getpid())
with open_broker() as broker:
    session = open_session()
    found = mapped(getpid())
    close_session(session)
for file in sys.argv[1:]:
    assert file in found, file
"""


def test_programs_start_with_the_archives(tmp_path):
    """The kernel says that their processes have mapped them."""
    cache = tmp_path / "cache"
    cache.mkdir()
    (cache / "jars").symlink_to(cache_directory() / "jars")  # saves the download
    environment = {**os.environ, "PLUGWRIGHT_CACHE": str(cache)}

    answer = _prepared(environment)
    assert answer["format"] == "plugwright-prepare/1"
    files = [answer["archives"]["kafka"], answer["archives"]["spark"]]
    assert sorted(map(str, (cache / "classes").iterdir())) == sorted(files)
    made = [Path(file).stat().st_mtime_ns for file in files]
    assert _prepared(environment) == answer  # which makes nothing that is there
    assert [Path(file).stat().st_mtime_ns for file in files] == made
    subprocess.run([sys.executable, "-c", _MAPPED, *files], env=environment, check=True)


def _prepared(environment):
    """What the command prints."""
    command = [Path(sys.executable).with_name("plugwright"), "prepare", "--json"]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)
