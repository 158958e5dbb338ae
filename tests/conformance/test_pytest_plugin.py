"""Inside pytest every check is one test, and its failure text is that of the suite."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tests.conformance.conftest import PLUGIN_PATH

from plugwright_conformance.catalogue.selection import select_checks
from plugwright_conformance.checks import CHECKS

pytestmark = pytest.mark.slow

pytest_plugins = ["pytester"]

HEAVY = ("plugwright", "pyspark", "confluent_kafka", "jinja2", "rich", "testcontainers")


def count(kind, *words):
    """How many checks there are for a bundled plugin, with one of the words in their id."""
    engines = ("resident", "stream") if kind == "sink" else ("resident",)
    ids = [check.id for check in select_checks(CHECKS, kind, (), engines)]
    return len([i for i in ids if not words or any(word in i for word in words)])


@pytest.fixture
def checked(pytester):
    """Runs pytest in a process of its own over locations."""

    def checked(*words):
        return pytester.runpytest_subprocess("-p", "no:cacheprovider", "-v", *words)

    return checked


def test_checks_become_tests_named_by_their_ids(checked):
    """What passes passes; what needs a live system or does not apply says why."""
    location = PLUGIN_PATH / "file-sink"

    result = checked("--conformance-location", location, "-k", "PLG or CFG or DLV-01", "-rs")

    chosen = count("sink", "PLG", "CFG", "DLV-01")
    found = result.parseoutcomes()
    assert found["passed"] + found["skipped"] == chosen
    assert found["deselected"] == count("sink") - chosen
    result.stdout.fnmatch_lines(
        [
            "*file-sink::PLG-PKG-03 PASSED*",
            "*file-sink::CON-DLV-01[[]stream[]] SKIPPED*",
            "*NOT_APPLICABLE: no key is a number or boolean, or has a validator",
            "*NOT_RUN: requires Spark and a Kafka broker, which this run does not have",
        ]
    )


def test_failure_is_reported_in_the_words_of_the_suite(checked, mutate):
    """Neither a stack nor an assertion stands in the way of what to fix."""
    location = mutate("M055a")

    result = checked(
        "--conformance-location", location, "--conformance-seed", "ab", "-k", "SNK-TYP-01"
    )

    result.assert_outcomes(failed=1, deselected=count("sink") - 1)
    result.stdout.fnmatch_lines(
        [
            "FAIL SNK-TYP-01 rev 4 [[]must, C2[]]  Every declared type reads back equal*",
            " expected   value 1: ' '",
            " observed   ''",
            " scenario   put by the task, read at the endpoint",
            " likely     a value is trimmed*",
            " fix        Write values unchanged*",
            " replay     plugwright certify *M055a --plugin * --check SNK-TYP-01 --seed ab",
        ]
    )
    result.stdout.no_fnmatch_line("*Traceback*")


def test_own_tests_of_a_project_stay(checked, pytester):
    """The checks come in addition."""
    pytester.makepyfile("def test_own(): pass")

    result = checked("--conformance-location", PLUGIN_PATH / "file-source", "-k", "own or PKG")

    chosen = count("source", "PKG")
    result.assert_outcomes(passed=chosen + 1, deselected=count("source") - chosen)


def test_checks_of_two_connectors_are_shared_out_over_workers(pytester):
    """Workers agree on the tests, and none of them treads on what another one has made."""
    locations = [PLUGIN_PATH / "file-source", PLUGIN_PATH / "file-sink"]
    named = [word for each in locations for word in ("--conformance-location", each)]

    result = pytester.runpytest_subprocess(
        "-p", "no:cacheprovider", "-n", "2", *named, "-k", "PAR or LIF-01 or SPK-03 or ERR-01"
    )

    found = result.parseoutcomes()
    words = ("PAR", "LIF-01", "SPK-03", "ERR-01")
    assert set(found) <= {"passed", "skipped", "warnings"}
    assert found["passed"] + found["skipped"] == count("source", *words) + count("sink", *words)


def test_nothing_changes_without_a_location(checked, pytester):
    """The plugin is loaded everywhere, so it has to be silent."""
    pytester.makepyfile("def test_own(): pass")

    checked().assert_outcomes(passed=1)


def test_location_without_plugin_is_a_usage_error(checked, pytester):
    """A wrong path is no empty success."""
    result = checked("--conformance-location", pytester.mkdir("empty"))

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*empty holds no source or sink plugin*"])


def test_loading_imports_nothing_heavy():
    """Every pytest run in the environment pays for what is imported here."""
    code = (
        "import sys, pytest; before = set(sys.modules)\n"
        "import plugwright_conformance.pytest_plugin\n"
        "print(*sorted({m.partition('.')[0] for m in set(sys.modules) - before}))"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert not set(done.stdout.split()) & set(HEAVY)
