"""Order counts where it is declared, and nowhere else; values count everywhere."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from tests.conformance.conftest import PLUGIN_PATH

from plugwright import SourceRecord
from plugwright_conformance.checks import CHECKS
from plugwright_conformance.checks.order import arranged, continues, positions_after, reads_all
from plugwright_conformance.checks.value_types import compare
from plugwright_conformance.evidence.outcome import CheckFailedError, Outcome
from plugwright_conformance.execution.runner import RunOptions, run_checks
from plugwright_conformance.mutants import BENIGN, materialise
from plugwright_conformance.report.silent_listener import SilentListener
from plugwright_conformance.subject.subject import open_subjects

AS_SEEDED = SimpleNamespace(seeded=lambda value: value)


def declaring(order, kind="sink", *, own_offsets=False):
    """What a check has of a plugin with such a declaration."""
    capabilities = {"order": order} if order else {}
    declaration = SimpleNamespace(capabilities=capabilities, keeps_own_offsets=own_offsets)
    return SimpleNamespace(subject=SimpleNamespace(declaration=declaration, kind=kind))


@pytest.mark.parametrize(
    ("order", "found", "shown"),
    [
        ("partition", ["b", "a", "c"], "['b', 'a', 'c']"),
        ("key", ["b", "a", "c"], "['a', 'b', 'c']"),
        ("", ["c", "b", "a"], "['a', 'b', 'c']"),
        ("", ["c", "x", "a"], "['a', 'x', 'c']"),
        ("", ["c", "a"], "['a', nothing, 'c']"),
        ("partition", ["a", "b"], "['a', 'b', nothing]"),
        ("", ["a", "a", "c", "b"], "['a', 'b', 'c', 'a']"),
        ("", [], "[nothing, nothing, nothing]"),
    ],
)
def test_values_stand_where_they_are_expected(order, found, shown):
    """Each value once; a stranger takes the place of what is missing, a surplus comes last."""
    assert repr(arranged(declaring(order), ["a", "b", "c"], found)) == shown


def test_values_of_a_source_come_from_any_of_its_partitions():
    """Their order is looked at in each of them."""
    assert arranged(declaring("partition", "source"), ["a", "b"], ["b", "a"]) == ["a", "b"]


@pytest.mark.parametrize(
    ("order", "found", "observed"),
    [
        ("partition", [True, 1, -0.0], "True"),
        ("", [True, -0.0, 1.0], "1.0"),
        ("", [True, 1], "nothing"),
        ("", [-0.0, 1, True, True], "4, first surplus True"),
    ],
    ids=["order", "type", "missing", "surplus"],
)
def test_what_differs_is_reported(order, found, observed):
    """One and True are two things, and so are the two zeros."""
    with pytest.raises(CheckFailedError) as failure:
        compare(declaring(order), [1, True, -0.0], found, "here")

    assert failure.value.observed == observed


def records(*found):
    """Records of ``(table, line, value)``."""
    return [
        SourceRecord({"table": table}, {"line": line}, "topic", value=value)
        for table, line, value in found
    ]


FIRST = records(("t", 1, "a"), ("u", 1, "b"), ("t", 2, "c"), ("u", 2, "d"))


def test_each_source_partition_has_its_last_offset():
    """A task that reads two tables goes on in both."""
    assert positions_after(declaring("", "source"), FIRST[:3]) == [
        ({"table": "t"}, {"line": 2}),
        ({"table": "u"}, {"line": 1}),
    ]


def test_a_record_needs_no_offset_where_the_endpoint_remembers():
    """And elsewhere it needs one."""
    bare = [SourceRecord(None, None, "topic", value="a")]

    assert positions_after(declaring("", "source", own_offsets=True), bare) == []
    with pytest.raises(CheckFailedError, match="a source partition and a source offset"):
        positions_after(declaring("", "source"), bare)


@pytest.mark.parametrize(
    ("order", "values", "sound"),
    [
        ("partition", "abcd", True),
        ("partition", "bdac", True),
        ("partition", "cbad", False),
        ("", "cbad", True),
        ("", "abc", False),
        ("", "abce", False),
    ],
)
def test_order_of_what_is_read_is_that_of_each_source_partition(order, values, sound):
    """Nobody promises anything between two of them."""
    assert reads_all(declaring(order), AS_SEEDED, list(values), FIRST) is sound


@pytest.mark.parametrize(
    ("order", "again", "sound"),
    [
        ("partition", [("u", 1, "b"), ("u", 2, "d"), ("t", 1, "a"), ("t", 2, "c")], True),
        ("partition", [("t", 2, "c"), ("t", 1, "a"), ("u", 1, "b"), ("u", 2, "d")], False),
        ("", [("t", 2, "c"), ("t", 1, "a"), ("u", 1, "b"), ("u", 2, "d")], True),
        ("", [("t", 1, "a"), ("t", 1, "a"), ("u", 1, "b"), ("u", 2, "d")], False),
    ],
)
def test_a_second_reading_brings_what_the_first_one_did(order, again, sound):
    """Everything, once."""
    assert continues(declaring(order), FIRST, records(*again)) is sound


def keyed(*found):
    """Records of ``(key, line, value)`` in one table."""
    made = records(*(("t", line, value) for _, line, value in found))
    for record, (key, _, _) in zip(made, found, strict=True):
        record.key = key
    return made


@pytest.mark.parametrize(
    ("found", "sound"),
    [
        ([("k", 1, "b"), ("l", 2, "a"), ("k", 3, "c")], True),
        ([("k", 1, "c"), ("l", 2, "a"), ("k", 3, "b")], False),
        ([(None, 1, "c"), (None, 2, "b"), (None, 3, "a")], True),
        ([("k", 1, "a"), ("k", 2, "b")], False),
    ],
    ids=["kept", "swapped", "without keys", "missing"],
)
def test_order_of_keys_is_that_of_each_key(found, sound):
    """Nobody promises anything between two of them, or of records that have none."""
    assert reads_all(declaring("key"), AS_SEEDED, list("abc"), keyed(*found)) is sound


@pytest.mark.parametrize(
    ("again", "sound"),
    [
        ([("l", 2, "a"), ("k", 1, "b"), ("k", 3, "c")], True),
        ([("l", 2, "a"), ("k", 3, "c"), ("k", 1, "b")], False),
        ([("l", 2, "a"), ("l", 1, "b"), ("k", 3, "c")], False),
        ([("l", 2, "a"), ("k", 1, "b"), ("k", 3, "c"), ("k", 3, "c")], False),
    ],
    ids=["kept", "swapped", "another key", "repeated"],
)
def test_a_second_reading_keeps_the_order_of_keys(again, sound):
    """With the keys that the records had."""
    first = keyed(("k", 1, "b"), ("l", 2, "a"), ("k", 3, "c"))

    assert continues(declaring("key"), first, keyed(*again)) is sound


@pytest.mark.slow
@pytest.mark.parametrize(("control", "check"), [("G17", "SNK-TYP-01"), ("G17s", "SRC-OFF-03")])
def test_order_that_is_declared_is_proved(control, check, tmp_path, workspace):
    """An endpoint without order does not pass as one that has it."""
    made = next(each for each in BENIGN if each.id == control)
    location = materialise(made, PLUGIN_PATH, tmp_path)
    (declaration,) = location.glob("*/conformance.toml")
    text = declaration.read_text("utf-8")
    declaration.write_text(text.replace("parallel =", 'order = "partition"\nparallel ='), "utf-8")
    subject = open_subjects(location, workspace)[0]
    options = RunOptions(seed="7f3c", records=1000, selection=(check,))
    (result,) = run_checks(
        subject, CHECKS, options, workspace=workspace, live=None, listener=SilentListener()
    ).results

    assert result.outcome is Outcome.FAIL
