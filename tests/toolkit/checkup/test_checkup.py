"""The checks of the environment, one by one, and many of them within a time."""

from __future__ import annotations

import socket
import sys
import tempfile
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
from packaging.requirements import Requirement

import plugwright.kafka.brokers
from plugwright.databases import DatabaseServer, PostgreSql
from plugwright.errors import SetupError
from plugwright_toolkit import checkup
from plugwright_toolkit.checkup import machine, packages

GIB = 1 << 30
SPARK = (Requirement("pyspark>=4.1,<5"), Requirement("pandas>=2.2,<3"))


def _reported(findings):
    return [(each.condition.value, each.found) for each in findings]


def test_checks_answer_in_their_order():
    """However long each takes."""
    gate = threading.Event()
    found = lambda name: [checkup.EnvironmentFinding(name, checkup.Condition.OK, "")]  # noqa: E731  # short
    checks = [
        checkup.EnvironmentCheck("a", lambda: gate.wait() and found("a")),
        checkup.EnvironmentCheck("b", lambda: gate.set() or found("b")),
    ]

    assert [each.name for each in checkup.examine(checks)] == ["a", "b"]


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (SetupError("no Java", hint="get one"), ("fail", "no Java", "get one")),
        (ValueError("x"), ("warn", "could not be checked: ValueError: x", "report this")),
    ],
    ids=["explained", "bug"],
)
def test_a_check_that_fails_is_a_finding(error, expected):
    """Never a stack."""

    def ask():
        raise error

    (found,) = checkup.examine([checkup.EnvironmentCheck("c", ask)])

    assert (found.condition.value, found.found, found.hint) == expected


def test_a_check_that_hangs_is_a_finding():
    """The others are there all the same."""
    gate, daemon = threading.Event(), []

    def wait():
        daemon.append(threading.current_thread().daemon)
        return gate.wait() and []

    slow = checkup.EnvironmentCheck("slow", wait, 0.01, checkup.Condition.FAIL, "start it")
    fast = checkup.EnvironmentCheck(
        "fast", lambda: [checkup.EnvironmentFinding("fast", checkup.Condition.OK, "")]
    )
    found = checkup.examine([slow, fast])
    gate.set()

    assert _reported(found) == [("fail", "no answer within 0.01 s"), ("ok", "")]
    assert (found[0].hint, daemon) == ("start it", [True])


def test_installed_databases_are_named():
    """With their versions, and where they are from."""
    server = DatabaseServer(PostgreSql(), "18.4", ("postgres", "initdb", "psql"), "PATH")
    servers = {"PostgreSQL": [server], "MariaDB": []}

    def found():
        return _reported(checkup.databases({}, lambda system, _: servers[system.name]))

    assert found() == [("ok", "PostgreSQL 18.4 from PATH")]
    servers["PostgreSQL"] = []
    assert found()[0][1].startswith("none is installed")


@pytest.mark.parametrize(
    ("running", "condition"), [((3, 10), "fail"), ((3, 11), "ok"), ((3, 14), "ok")]
)
def test_python_has_to_be_new_enough(running, condition):
    """3.11 is the first that does."""
    assert _reported(checkup.python(running))[0][0] == condition


@pytest.mark.parametrize(
    ("versions", "failures", "condition", "found"),
    [
        (("4.1.0", "2.3.3"), {}, "ok", "pyspark 4.1.0, pandas 2.3.3"),
        (("", ""), {}, "warn", "not installed: pyspark, pandas"),
        (("4.1.0", ""), {}, "warn", "not installed: pandas"),
        (("3.5", "3.0.1"), {}, "fail",
         "does not fit: pyspark 3.5, wanted <5,>=4.1, pandas 3.0.1, wanted <3,>=2.2"),
        (("4.1.0", "2.2.0"), {"pandas": "ImportError: x"}, "fail",
         "cannot be imported: pandas: ImportError: x"),
    ],
    ids=["good", "absent", "partly", "unfit", "broken"],
)  # fmt: skip
def test_an_extra_is_judged_by_its_packages(versions, failures, condition, found):
    """What is missing is a warning; what is there and wrong stands in the way."""
    given = dict(zip(("pyspark", "pandas"), versions, strict=True))
    answer = packages.judge_extra("spark", SPARK, given, failures)

    assert (answer.name, answer.condition.value, answer.found) == ("extra spark", condition, found)
    assert answer.hint.startswith("pip install 'plugwright[spark]'") is (condition != "ok")


@pytest.mark.parametrize(
    ("requirement", "expected"),
    [
        ("rich", False),
        ("rich; python_version > '3'", False),
        ("rich; extra == 'spark'", False),
        ("rich; extra == 'toolkit'", True),
        ("rich; extra == 'toolkit' and python_version < '3'", False),
    ],
)
def test_only_what_an_extra_asks_for_counts(requirement, expected):
    """The base installation's own requirements are no extra's."""
    assert packages.is_for(Requirement(requirement), "toolkit") is expected


@pytest.mark.slow
def test_the_extras_are_those_of_the_metadata():
    """Imported in a process of their own, which may take its time here."""
    found = {each.name: each for each in checkup.extras(import_seconds=120)}

    assert {"extra kafka", "extra spark", "extra toolkit", "extra avro"} <= set(found)
    assert {"extra all", "extra dev"} & set(found) == set()
    assert "cookiecutter 2." in found["extra toolkit"].found


@pytest.mark.slow
def test_what_cannot_be_imported_says_why(monkeypatch, tmp_path):
    """With the exception."""
    (tmp_path / "broken_one.py").write_text("raise OSError('no  library' + 'x' * 999)")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    names = {"broken-one": "broken_one", "pluggy": "pluggy"}

    assert packages.import_failures(names, 7) == {"broken-one": f"OSError: no library{'x' * 141}"}


@pytest.mark.slow
def test_what_hangs_on_import_is_given_up(monkeypatch, tmp_path):
    """What was imported before it is known."""
    (tmp_path / "endless.py").write_text("while True: pass")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    modules = {"pluggy": "json", "e": "endless"}

    assert packages.import_failures(modules, 1) == {"e": "not imported within 1 s"}


@pytest.mark.slow
def test_the_module_of_a_distribution_is_the_one_of_its_name():
    """Or else its first."""
    names = ["confluent-kafka", "PyYAML", "no-such"]
    found = packages.modules_of(names)

    assert (found["confluent-kafka"], found["no-such"]) == ("confluent_kafka", "no_such")


def test_the_cache_is_named(monkeypatch, tmp_path):
    """As the setting says."""
    monkeypatch.setenv("PLUGWRIGHT_CACHE", str(tmp_path / "c"))

    assert _reported(checkup.cache()) == [("ok", str(tmp_path / "c"))]


def test_a_cache_that_cannot_be_written_fails(monkeypatch, tmp_path):
    """Writing is tried: permissions say little to root."""
    monkeypatch.setenv("PLUGWRIGHT_CACHE", str(tmp_path))

    def refuse(**_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    (found,) = checkup.cache()

    assert _reported([found]) == [("fail", f"{tmp_path} cannot be written: Permission denied")]
    assert found.hint == "set PLUGWRIGHT_CACHE to a directory that can be written"


def test_the_cache_is_asked_for_kafka(monkeypatch, tmp_path):
    """All of its jars have to be there."""
    monkeypatch.setenv("PLUGWRIGHT_CACHE", str(tmp_path))
    server = plugwright.kafka.brokers.kafka_server()
    jars = tmp_path / "jars" / server.name
    jars.mkdir(parents=True)
    for name in server.digests:
        (jars / name).touch()

    whole = checkup.distribution()
    (jars / min(server.digests)).unlink()

    assert _reported(whole) == [("ok", "kafka-4.3.1 is in the cache")]
    ((condition, found),) = _reported(checkup.distribution())
    assert (condition, found.startswith("kafka-4.3.1 is not in the cache")) == ("ok", True)


def test_kafka_is_not_looked_for_without_its_client(monkeypatch):
    """The extra may be missing; that is no fault."""
    monkeypatch.setitem(sys.modules, "plugwright.kafka.brokers", None)

    ((condition, found),) = _reported(checkup.distribution())

    assert (condition, found) == ("warn", "not asked: no package plugwright.kafka.brokers")


def test_the_python_of_sparks_workers_is_asked_for_the_package(tmp_path):
    """The program that PySpark would start; a worker of ours names its own."""
    (tmp_path / "bare").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "bare").chmod(0o755)
    bare = {"PYSPARK_PYTHON": str(tmp_path / "bare")}

    (own,) = checkup.worker_python({"PYSPARK_PYTHON": sys.executable})
    (other,) = checkup.worker_python(bare)

    assert own.condition is checkup.Condition.OK
    assert other.condition is checkup.Condition.WARN
    assert "has no package plugwright" in other.found
    assert other.hint.startswith(f"set PYSPARK_PYTHON={sys.executable}")


def test_java_is_named(monkeypatch):
    """With where it comes from."""
    java = SimpleNamespace(version=21, home=Path("/java"), source="PATH")
    monkeypatch.setattr(machine, "find_java", lambda: java)

    assert _reported(checkup.java()) == [("ok", "21 at /java, from PATH")]


def test_a_port_in_use_is_a_warning():
    """With what else can be done."""
    with socket.socket() as server:
        server.bind(("", 0))
        server.listen()
        number = server.getsockname()[1]
        (found,) = checkup.port(number)

    assert _reported([found]) == [("warn", f"{number} cannot be used: address already in use")]
    assert _reported(checkup.port(number)) == [("ok", f"{number} is free")]


def test_a_number_that_is_no_port_is_a_warning():
    """From a worker configuration."""
    assert _reported(checkup.port(99_999))[0][0] == "warn"


@pytest.mark.parametrize(
    ("free", "expected"),
    [
        (4 * GIB, ("ok", "4.0 GiB available")),
        (2 * GIB, ("ok", "2.0 GiB available")),
        (2 * GIB - 1, ("warn", "2.0 GiB available")),
        (GIB // 2, ("warn", "0.5 GiB available")),
    ],
)
def test_memory_has_to_be_enough_for_spark(free, expected):
    """Two GiB."""
    assert _reported(checkup.memory(free)) == [expected]


def test_the_limit_of_a_container_counts(monkeypatch, tmp_path):
    """Where it is less than what the machine has."""
    (tmp_path / "meminfo").write_text("MemTotal: 9 kB\nMemAvailable: 8388608 kB\n")
    (tmp_path / "memory.max").write_text(f"{3 * GIB}\n")
    (tmp_path / "memory.current").write_text(f"{2 * GIB}\n")
    monkeypatch.setattr(machine, "_MEMORY_INFO", tmp_path / "meminfo")
    monkeypatch.setattr(machine, "_MEMORY_LIMIT", tmp_path / "memory.max")
    assert _reported(checkup.memory()) == [("warn", "1.0 GiB available")]

    (tmp_path / "memory.max").write_text("max\n")
    assert _reported(checkup.memory()) == [("ok", "8.0 GiB available")]

    (tmp_path / "meminfo").unlink()
    assert _reported(checkup.memory())[0][0] == "ok"


@pytest.mark.parametrize(
    ("free", "condition"),
    [(2 * GIB, "ok"), (2 * GIB - 1, "warn"), (GIB // 8, "warn"), (GIB // 8 - 1, "fail")],
)
def test_space_for_temporary_files_has_to_be_enough(free, condition):
    """For the logs of a broker, and for what Spark spills."""
    assert _reported(checkup.temporary(free))[0][0] == condition


@pytest.mark.parametrize("address", ["unix:///no/such", "tcp://nonsense", "ssh://x", "tcp://h:1x"])
def test_no_docker_engine_is_no_fault(address):
    """An embedded broker does."""
    text = "no engine answers; an embedded Kafka is started where one is needed"

    assert _reported(checkup.docker({"DOCKER_HOST": address})) == [("ok", text)]


@pytest.mark.parametrize(
    ("answer", "found"), [(b"HTTP/1.0 200 OK", True), (b"SSH-2.0 hello", False)]
)
def test_a_docker_engine_speaks_http(tmp_path, answer, found):
    """Anything else on its socket is none."""
    place = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(place))
        server.listen()

        def serve():
            with server.accept()[0] as connection:
                connection.recv(100)
                connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        ((_, text),) = _reported(checkup.docker({"DOCKER_HOST": f"unix://{place}"}))
        thread.join()

    assert (text == f"an engine answers at unix://{place}") is found


def test_a_broker_is_asked_with_the_workers_security(monkeypatch):
    """And with nothing else of it."""
    asked = {}

    class Broker:
        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

    def open_broker(servers, **options):
        asked.update(options, servers=servers)
        return Broker()

    monkeypatch.setattr(plugwright.kafka.brokers, "open_broker", open_broker)
    worker = {"group.id": "g", "security.protocol": "SSL", "sasl.mechanism": "P", "ssl.key": "k"}

    assert _reported(checkup.broker("h:1", worker)) == [("ok", "h:1 answers")]
    assert (asked["servers"], asked["kind"]) == ("h:1", "external")
    assert set(asked["properties"]) == {"security.protocol", "sasl.mechanism", "ssl.key"}


def test_a_plugin_path_is_counted(tmp_path):
    """By its manifests."""
    for name in ("a", "b"):
        directory = tmp_path / name / f"{name}-1.dist-info"
        directory.mkdir(parents=True)
        (directory / "METADATA").write_text(f"Name: {name}\nVersion: 1\n")
        entry = f"[plugwright.SinkConnector]\n{name} = {name}:C{name}\n"
        (directory / "entry_points.txt").write_text(entry)

    assert _reported(checkup.plugin_path([str(tmp_path)])) == [
        ("ok", "locations: 2, plugins with manifests: 2")
    ]


def test_the_problems_of_a_plugin_path_are_findings(tmp_path):
    """A missing element stands in the way, a wrong line is a warning."""
    directory = tmp_path / "a" / "a-1.dist-info"
    directory.mkdir(parents=True)
    (directory / "entry_points.txt").write_text("[plugwright.SinkConnector]\na\n")
    elements = [str(tmp_path / "a"), str(tmp_path / "no")]
    found = checkup.plugin_path(elements)

    kinds = {(each.condition.value, each.found.partition(":")[0]) for each in found}
    assert kinds >= {("fail", "location-missing"), ("warn", "ep-syntax")}
    assert all(each.hint for each in found)


@pytest.mark.parametrize(
    ("version", "condition", "words"),
    [(0, "warn", "no Landlock"), (4, "ok", "signals are not kept in"), (7, "ok", "Landlock 7")],
)
def test_what_the_kernel_forbids_is_reported(version, condition, words):
    """To whoever looks into plugins that nobody has chosen yet."""
    [finding] = checkup.confined(version)
    assert finding.condition.value == condition
    assert words in finding.found
