"""The golden files hold exactly the cases of the tables, and Java still answers them the same."""

from __future__ import annotations

import json
import shutil

import pytest
from tests.oracle.golden import DIRECTORY, golden, golden_files
from tests.oracle.notation import comparable, is_representable, read_schema
from tests.oracle.record import ask, cached_jars
from tests.oracle.tables import all_cases, golden_name

_SAMPLE = 40
_OF_ANY_DATA = "blind"
"""Its cases may give values that no struct takes."""

_MAX_BYTES = 3_000_000


@pytest.fixture(scope="module")
def table():
    """Every case of the tables by its id."""
    return all_cases()


def test_files_hold_the_cases_of_the_tables_in_order(table):
    """Nothing is missing, left over, changed or out of order."""
    expected = {name: [] for name in golden_files()}
    for key, case in sorted(table.items()):
        expected[golden_name(case)].append((key, case))

    assert {
        name: [(line.id, line.case) for line in golden(name)] for name in golden_files()
    } == expected


def test_every_case_has_a_file(table):
    """No table is without its golden file, and no file without a table."""
    assert golden_files() == tuple(sorted({golden_name(case) for case in table.values()}))


def test_files_name_the_version_of_kafka():
    """The head says whose behaviour this is."""
    heads = {
        name: (DIRECTORY / f"{name}.jsonl").read_text("utf-8").partition("\n")[0]
        for name in golden_files()
    }

    assert {name: json.loads(head) for name, head in heads.items()} == {
        name: {"kafka": "4.3.1"} for name in heads
    }


def test_driver_understood_every_case():
    """No answer is the driver's own complaint instead of Kafka's."""
    complaints = ("unknown kind", "unknown tag", "no notation for", "java.lang.ClassNotFound")
    errors = {
        line.id: json.dumps(line.result.get("error", ""))
        for name in golden_files()
        for line in golden(name)
    }

    assert {
        key: text for key, text in errors.items() if any(each in text for each in complaints)
    } == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({*golden_files()} - {_OF_ANY_DATA}))
def test_comparable_text_can_be_read_back(name):
    """What Python makes of an answer is the same the second time."""
    texts = [
        (comparable(line.result, schema), schema)
        for line in golden(name)
        if is_representable(line)
        for schema in [read_schema(line.case.get("target"))]
    ]

    assert [comparable(json.loads(text), schema) for text, schema in texts] == [
        text for text, _ in texts
    ]


def test_golden_files_stay_reviewable():
    """All of them together stay under three megabytes."""
    sizes = [path.stat().st_size for path in DIRECTORY.glob("*.jsonl")]

    assert sum(sizes) < _MAX_BYTES


@pytest.mark.slow
def test_java_still_answers_a_sample_the_same():
    """A few lines of each file, asked again."""
    paths = cached_jars()
    if not paths or shutil.which("javac") is None:
        pytest.skip("needs a JDK and the jars that `python -m tests.oracle.record` fetches")
    sample = [line for name in golden_files() for line in golden(name)[::_SAMPLE]]

    _, *answers = ask([line.case for line in sample], paths)

    assert answers == [line.result for line in sample]
