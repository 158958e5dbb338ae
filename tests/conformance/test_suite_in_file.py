"""A line in a test file makes the checks of a connector tests of that file."""

from __future__ import annotations

import json
import shutil

import pytest
from tests.conformance.conftest import PLUGIN_PATH

from plugwright.errors import ConnectError
from plugwright_conformance import conformance
from plugwright_conformance.certificate import evidence_hash
from plugwright_conformance.report import WRITERS, read_json

pytest_plugins = ["pytester"]

FILE = """\
from plugwright_conformance import conformance

test_conformance = conformance({named!r}, level="C2")
"""
FEW = "PLG-PKG-10 or CON-CFG-08 or SNK-TYP-01 or SNK-TYP-10 or CON-SPK-10"


@pytest.fixture
def checked(pytester):
    """Runs pytest in a process of its own over a test file."""

    def checked(text, *words):
        pytester.makepyfile(text)
        return pytester.runpytest_subprocess("-p", "no:cacheprovider", "-v", *words)

    return checked


@pytest.fixture
def undeclared(tmp_path):
    """The good file sink, without a declaration."""
    made = tmp_path / "undeclared"
    shutil.copytree(PLUGIN_PATH / "file-sink", made, ignore=shutil.ignore_patterns("__pycache__"))
    (made / "plugwright_file_sink" / "conformance.toml").unlink()
    return made


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"level": "C6"}, "unknown level 'C6'"),
        ({"config": {"topics": "t"}}, "require endpoint"),
    ],
    ids=["level", "half-a-declaration"],
)
def test_mistake_in_the_line_is_reported_where_it_stands(more, message):
    """Before anything is collected."""
    with pytest.raises(ConnectError, match=message):
        conformance("orders-sink", **more)


@pytest.mark.slow
def test_each_check_up_to_the_level_is_a_test_with_its_id(checked):
    """None of them needs Spark or Kafka up to C2."""
    file = FILE.format(named=str(PLUGIN_PATH / "file-sink"))

    result = checked(file, "-k", f"{FEW} or CON-DLV-01")

    result.assert_outcomes(passed=5, deselected=result.parseoutcomes()["deselected"])
    result.stdout.fnmatch_lines(
        [
            "*.py::test_conformance::PLG-PKG-10 PASSED*",
            "*.py::test_conformance::CON-CFG-08 PASSED*",
        ]
    )
    result.stdout.no_fnmatch_line("*CON-DLV-01*")  # of C3


@pytest.mark.slow
def test_check_that_is_not_run_says_what_is_missing(checked):
    """On each engine."""
    file = FILE.format(named=str(PLUGIN_PATH / "file-sink")).replace("C2", "C3")

    result = checked(file, "-k", "CON-DLV-01", "-rs")

    result.assert_outcomes(skipped=2, deselected=result.parseoutcomes()["deselected"])
    result.stdout.fnmatch_lines(
        [
            "*.py::test_conformance::CON-DLV-01[[]stream[]] SKIPPED*",
            "*NOT_RUN: requires Spark and a Kafka broker, which this run does not have",
        ]
    )


@pytest.mark.slow
def test_level_of_the_command_line_has_precedence(checked):
    """A quick run in between."""
    file = FILE.format(named=str(PLUGIN_PATH / "file-sink"))

    result = checked(file, "--conformance-level", "C1", "--collect-only", "-q")

    result.stdout.fnmatch_lines(["*PLG-PKG-10*"])
    result.stdout.no_fnmatch_line("*SNK-TYP-01*")  # of C2


@pytest.mark.slow
def test_workers_of_xdist_find_the_same_with_the_same_evidence(checked, pytester):
    """The reports are of one form, and neither gives a level."""
    file = FILE.format(named=str(PLUGIN_PATH / "file-sink"))
    words = ("-k", FEW, "--conformance-seed", "7f3c", "--conformance-report")

    checked(file, *words, "alone")
    checked(file, *words, "shared", "-n", "2")

    folders = [pytester.path / name / "file-sink" for name in ("alone", "shared")]
    alone, shared = (read_json((folder / "results.json").read_bytes()) for folder in folders)
    assert len(alone.results) == 5
    assert list(map(evidence_hash, shared.results)) == list(map(evidence_hash, alone.results))
    files = {writer.file_name for writer in WRITERS} - {"badge.svg"}
    assert [{file.name for file in folder.iterdir()} for folder in folders] == [files, files]


@pytest.mark.slow
def test_report_says_that_it_is_of_a_pytest_run(checked, pytester):
    """A project's own plugins could have had a hand in it (H09)."""
    checked(
        FILE.format(named=str(PLUGIN_PATH / "file-sink")),
        *("-k", "PLG-PKG-10", "--conformance-report", "out", "--conformance-seed", "ab"),
    )

    reported = json.loads((pytester.path / "out" / "file-sink" / "results.json").read_bytes())
    assert reported["level"] is None
    assert reported["why_not_more"].startswith(
        "a pytest run awards no level; use plugwright certify"
    )
    assert reported["environment"]["run"] == "pytest, not a certification"
    assert reported["selection"] == ["PLG-PKG-10"]
    (result,) = reported["results"]
    assert result["replay"].endswith("::test_conformance::PLG-PKG-10 --conformance-seed ab")


@pytest.mark.slow
def test_package_without_declaration_is_declared_by_the_line(checked, undeclared):
    """With the three things that the file would have said."""
    result = checked(
        f"""
        from plugwright_conformance import conformance

        test_sink = conformance(
            {str(undeclared)!r},
            endpoint="plugwright_file_sink.testing:FileEndpoint",
            config={{"topics": "{{topic}}"}},
            capabilities={{"types": ["string"], "excluded_characters": ["\\n"], "parallel": True}},
        )
        """,
        *("-k", "PLG-PKG-10 or CON-CFG-08 or SNK-TYP-01 or SNK-OFF-02"),
    )

    assert result.parseoutcomes()["passed"] == 4
    assert not (undeclared / "plugwright_file_sink" / "conformance.toml").exists()


@pytest.mark.slow
def test_connector_that_is_not_there_is_an_error_of_the_file(checked):
    """Never an empty success (H01)."""
    result = checked(FILE.format(named="no-such-sink"))

    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(
        ["*no-such-sink is neither a directory, a wheel nor an installed distribution*"]
    )


@pytest.mark.spark
@pytest.mark.kafka
def test_live_checks_are_shared_out_over_workers(checked, broker):
    """Two checks on two engines; each worker has a Spark, and names on the broker, of its own."""
    result = checked(
        FILE.format(named=str(PLUGIN_PATH / "file-sink")).replace("C2", "C3"),
        *("-n", "2", "-k", "CON-DLV-01 or CON-DLV-02", "--conformance-live"),
        *("--conformance-bootstrap-servers", broker.bootstrap_servers),
    )

    assert result.parseoutcomes()["passed"] == 4
