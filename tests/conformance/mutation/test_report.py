"""What is printed and written of a run, and the table of mutants that are no faults."""

from __future__ import annotations

import json

import pytest

from plugwright.errors import ConnectError
from plugwright_conformance.mutation import (
    CodeMutant,
    Equivalents,
    Fate,
    How,
    MutationRun,
    Tried,
    render_runs,
)

TABLE = """\
[[equivalent]]
plugin = "orders"
module = "a/task.py"
operator = "number"
gone = "a = 1"
new = "a = 2"
reason = "nobody reads it"
"""
ONE = CodeMutant("a/task.py", "number", 1, "a = 1\n", "a = 2\n")
OTHER = CodeMutant("a/task.py", "negate", 2, "a\nb = c\n", "a\nb = not c\n")
TEXT = """\
orders: killed 50.0 %, 1 of 2, seed 07
  mutants     9 made, 4 tried
  killed      1 hung
  equivalent  2
  survived    1
  stale       a/task.py:2 negate: as good, but killed by CON-LIF-01
  by operator (killed of tried, without equivalent ones)
    negate                      1 of 2
    number                      0 of 0

a/task.py:2 negate
--- a/a/task.py
+++ b/a/task.py
@@ -1,2 +1,2 @@
 a
-b = c
+b = not c
"""


@pytest.fixture
def run():
    """Two that are equivalent, a survivor, and one that the table takes for equivalent."""
    return MutationRun(
        location="orders",
        plugin="orders",
        version="1",
        digest="ab",
        seed="07",
        made=9,
        rows=[
            Tried(ONE, Fate(How.SURVIVED), "nobody reads it"),
            Tried(ONE, Fate(How.SURVIVED), "nobody reads it"),
            Tried(OTHER, Fate(How.SURVIVED)),
            Tried(OTHER, Fate(How.HUNG, "CON-LIF-01"), "as good"),
        ],
    )


def test_words_tell_score_and_survivors(run):
    """Those that are equivalent count neither as killed nor as tried."""
    assert run.text() == TEXT


def test_document_has_every_figure(run):
    """For programs."""
    document = json.loads(render_runs(["B rev 1", "A rev 2"], [run]))

    (found,) = document["runs"]
    assert document["format"] == "plugwright-machine-mutants/1"
    assert document["checks"] == ["A rev 2", "B rev 1"]
    assert found["score"] == {"equivalent": 2, "killed": 1, "made": 9, "survived": 1, "tried": 4}
    assert found["how"] == {"hung": 1, "survived": 3}
    assert found["killed_by"] == {"CON-LIF-01": 1}
    assert found["operators"]["negate"] == {"equivalent": 0, "killed": 1, "tried": 2}
    assert [each["operator"] for each in found["survivors"]] == ["negate"]
    assert [each["reason"] for each in found["equivalent"]] == ["nobody reads it"] * 2


def test_table_excuses_the_very_mutant():
    """By distribution, module, operator, and both sides of the diff."""
    table = Equivalents.parse(TABLE, "t.toml")

    assert table.reason("orders", ONE) == "nobody reads it"
    assert table.reason("others", ONE) == ""
    assert table.reason("orders", OTHER) == ""
    assert table.reason("orders", CodeMutant("a/task.py", "number", 1, "a = 1\n", "a = 3\n")) == ""


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[[equivalent", "it is no TOML"),
        (TABLE.replace('reason = "nobody reads it"', 'reason = ""'), "an entry has to have"),
        (TABLE.replace('gone = "a = 1"\n', ""), "an entry has to have"),
    ],
    ids=["no-toml", "no-reason", "not-whole"],
)
def test_bad_table_is_refused(text, reason):
    """A mutant is not excused without a reason."""
    with pytest.raises(ConnectError) as caught:
        Equivalents.parse(text, "t.toml")

    assert caught.value.code == "mutation.bad-table"
    assert reason in caught.value.facts["reason"]


def test_missing_table_is_refused(tmp_path):
    """As one that cannot be read."""
    with pytest.raises(ConnectError, match="it cannot be read") as caught:
        Equivalents.read(tmp_path / "none.toml")

    assert caught.value.code == "mutation.bad-table"
