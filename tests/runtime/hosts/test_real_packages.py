"""Two versions of a real package at the same time, each in the process of its own location."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.runtime.hosts import packages
from tests.runtime.hosts.packages import Pair

from plugwright.plugins import conflicts

pytestmark = [pytest.mark.drill, pytest.mark.timeout(600)]  # pip downloads

NUMPY = Pair(
    "numpy",
    ("numpy>=1.26,<2", "numpy>=2,<2.3"),
    ("1.26.", "2."),
    """
    import numpy
    return numpy.__version__, repr(numpy.float64([1, 2]).mean())
    """,
    ("1.5", "np.float64(1.5)"),  # the notation changed with NEP 51
)
PAIRS = [
    Pair(
        "urllib3",
        ("urllib3>=1.26,<2", "urllib3>=2,<2.3"),
        ("1.26.", "2."),
        """
        from importlib.util import find_spec
        import urllib3
        url = urllib3.util.parse_url("http://[::1]:80/%7e").url
        return urllib3.__version__, (url, bool(find_spec("urllib3.contrib.appengine")))
        """,
        ("('http://[::1]:80/%7E', True)", "('http://[::1]:80/%7E', False)"),  # gone in 2
    ),
    NUMPY,
    Pair(
        "pyarrow",
        ("pyarrow>=19,<20", "pyarrow>=21,<22"),
        ("19.", "21."),
        """
        import pyarrow
        from pyarrow import compute
        numbers = pyarrow.array([1, 2, 6])
        return pyarrow.__version__, (compute.sum(numbers).as_py(), hasattr(compute, "skew"))
        """,
        ("(9, False)", "(9, True)"),  # new in 20
    ),
    Pair(
        "lxml",
        ("lxml>=4.9,<5", "lxml>=6,<7"),
        ("4.9.", "6."),
        """
        from lxml import etree
        tree = etree.fromstring("<a><b>1</b><b>2</b></a>")
        return etree.__version__, (tree.xpath("sum(b)"), hasattr(etree, "LIBXML_FEATURES"))
        """,
        ("(3.0, False)", "(3.0, True)"),  # new in 5.4
    ),
    Pair(
        "protobuf",
        ("protobuf>=4.25,<5", "protobuf>=6,<7"),
        ("4.25.", "6."),
        """
        from google import protobuf
        from google.protobuf import wrappers_pb2
        from google.protobuf.message_factory import MessageFactory
        written = wrappers_pb2.Int32Value(value=300).SerializeToString().hex()
        return protobuf.__version__, (written, hasattr(MessageFactory, "GetPrototype"))
        """,
        ("('08ac02', True)", "('08ac02', False)"),  # gone in 5
    ),
    Pair(
        "pydantic-core",
        ("pydantic-core>=2.27,<2.28", "pydantic-core>=2.41,<2.42"),
        ("2.27.", "2.41."),
        """
        import pydantic_core
        validator = pydantic_core.SchemaValidator({"type": "int"})
        result = validator.validate_python("7"), hasattr(pydantic_core, "MISSING")
        return pydantic_core.__version__, result
        """,
        ("(7, False)", "(7, True)"),
    ),
]
TASK = """
import json, os, pickle, sys
python_path, setup = pickle.load(sys.stdin.buffer)
sys.path[:0] = python_path
import numpy
from plugwright import SourceRecord
from plugwright.hosts import StagePipeline

with StagePipeline(setup) as pipeline:
    value = numpy.__version__ + " | " + repr(numpy.float64([1, 2]).mean())
    records = [SourceRecord({"p": 1}, {"o": 1}, "t", value)]
    pipeline.prepare_source(records)
    outgoing = []
    pipeline.codec.encode_all(iter(records), outgoing, None)
    pids = [os.getpid(), *pipeline.pids]
    print(json.dumps([outgoing[0][3].decode().split(" | "), pids]))
"""


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_two_versions_of_a_package_answer_at_the_same_time(world, context, figures, pair):
    """Each location sees its own, this process neither, and the conflict is named (D7)."""
    prefixes = ["One", "Other"]
    one, other = (
        packages.connector(world.root, prefix, requirement, pair.body)
        for prefix, requirement in zip(prefixes, pair.ranges, strict=True)
    )
    figures.installed()
    connectors = [world.open(**{"connector.class": f"{prefix}Source"}) for prefix in prefixes]
    for each in connectors:
        each.start(context)
    seen = [each.tasks(1).configs[0] for each in connectors]
    pids = [pid for each in connectors for pid in each.pids]
    figures.tell(pair.name, [config["version"] for config in seen], pids)

    assert tuple(config["result"] for config in seen) == pair.results
    assert seen[0]["version"].startswith(pair.versions[0])
    assert seen[1]["version"].startswith(pair.versions[1])
    assert len({*pids, os.getpid()}) == 3
    assert (pair.name, *(config["version"] for config in seen)) in brought(one, other)
    assert not imported_from(world.root)


def test_a_converter_has_another_numpy_than_the_task_beside_it(world, context, figures):
    """The task's process has its connector's version, the stage host that of the converter."""
    one = packages.connector(world.root, "One", NUMPY.ranges[0], NUMPY.body)
    other = packages.converter(world.root, "Other", NUMPY.ranges[1], NUMPY.body)
    figures.installed()
    connector = world.open(value="OtherConverter", **{"connector.class": "OneSource"})
    connector.start(context)
    reported = pickle.dumps((connector.python_path, connector.surroundings()))

    done = subprocess.run(
        [sys.executable, "-c", TASK], input=reported, capture_output=True, check=True
    )

    (version, result, others, its_result), pids = json.loads(done.stdout)
    figures.tell("numpy beside a task", [version, others], connector.pids)
    assert (result, its_result) == NUMPY.results
    assert ("numpy", version, others) in brought(one, other)
    assert len(set(pids)) == 2
    assert not imported_from(world.root)


class Figures:
    """Seconds and memory of a pair, for the notes of a change."""

    def __init__(self, capsys):
        self._capsys = capsys
        self._begun = self._installed = time.monotonic()

    def installed(self):
        """Pip is done."""
        self._installed = time.monotonic()

    def tell(self, name, versions, pids):
        """Say them, past what collects a test's output."""
        pip, hosts = self._installed - self._begun, time.monotonic() - self._installed
        memory = ", ".join(f"{proportional_mib(pid):.0f} MiB" for pid in pids)
        with self._capsys.disabled():
            sys.stdout.write(
                f"\n{name}: {' and '.join(versions)}; pip {pip:.1f} s, then {hosts:.1f} s; {memory}"
            )


@pytest.fixture
def figures(capsys):
    """Seconds and memory of a pair."""
    return Figures(capsys)


def proportional_mib(pid):
    """A process's memory, of what it shares its share."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def brought(one, other):
    """The distributions that keep two locations apart, with their versions."""
    found = conflicts(one, other)
    return [(each.name, each.one, each.other) for each in found if each.kind == "distribution"]


def imported_from(root):
    """The modules and libraries that this process has from below a directory."""
    files = [vars(module).get("__file__") or "" for module in list(sys.modules.values())]
    mapped = Path("/proc/self/maps").read_text().splitlines()
    return [name for name in (*files, *mapped) if str(root) in name]
