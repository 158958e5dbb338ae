"""Mutants of a location: which there are, in which order, and what is on the disk."""

from __future__ import annotations

import csv
import hashlib
from base64 import urlsafe_b64encode

import pytest

from plugwright_conformance.mutation import CodeMutant, Operator, mutants_of, own_modules
from plugwright_conformance.mutation.operators import OPERATORS

TASK = """\
class Task:
    def put(self, records):
        for record in records:
            if record.value:
                self.write(record.value)
"""
BY_NAME = {each.name: each for each in OPERATORS}


@pytest.fixture
def location(tmp_path):
    """A location with two modules of its own, a driver, and what Python caches."""
    root = tmp_path / "lines"
    for name, text in {
        "lines/task.py": TASK,
        "lines/config.py": "from plugwright import ConfigType\n",
        "lines/testing.py": "x = min(1, 2)\n",
        "lines/__pycache__/task.pyc": "old",
        "lines-1.dist-info/RECORD": "lines/task.py,sha256=x,1\nlines-1.dist-info/RECORD,,\n",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def test_endpoint_drivers_are_no_part_of_a_connector(location):
    """They belong to the test."""
    assert own_modules(location, {"lines.testing"}) == ["lines/config.py", "lines/task.py"]


def test_order_is_that_of_modules_lines_and_operators(location):
    """Whatever order operators propose in."""
    operators = [BY_NAME[name] for name in ("negate", "drop-first", "text-for-all")]

    made = mutants_of(location, ["lines/task.py"], operators)

    assert [(each.operator, each.line) for each in made] == [
        ("drop-first", 3),
        ("drop-first", 3),
        ("negate", 4),
        ("text-for-all", 4),
        ("text-for-all", 5),
    ]


def test_what_only_explains_an_error_is_not_mutated(location):
    """Its kind and its message are."""
    text = """\
def refuse(value, size):
    raise error(value + 1, code="a" if size else "b", hint=size + 1, facts={"size": size + 2})
"""
    (location / "lines" / "task.py").write_text(text)

    changed = {each.lines[1] for each in mutants_of(location, ["lines/task.py"], OPERATORS)}

    tail = 'code="a" if size else "b", hint=size + 1, facts={"size": size + 2})'
    assert f"raise error(value - 1, {tail}" in changed
    assert [each for each in changed if "raise error(" in each and not each.endswith(tail)] == []


@pytest.mark.parametrize(
    ("old", "new"),
    [("self.write", "self . write"), ("record.value:", "record.value"), ("if", "if None is not")],
    ids=["same-bytecode", "no-python", "other"],
)
def test_what_means_nothing_else_is_no_mutant(location, old, new):
    """And what cannot be compiled is none, either."""
    text = TASK.replace(old, new, 1)
    edit = Operator("edit", "", "", lambda code: iter([code.replace(code.tree.body[0], text)]))
    twice = Operator("twice", "", "", edit.propose)

    made = mutants_of(location, ["lines/task.py"], [edit, twice])

    assert [each.operator for each in made] == (["edit"] if "None" in new else [])


def test_secrets_of_one_module_are_known_in_all(location):
    """The task logs what the connector defines."""
    (location / "lines/config.py").write_text("x = ConfigType.PASSWORD\n")
    (location / "lines/task.py").write_text("def f(props):\n    go()\n")

    made = mutants_of(location, ["lines/config.py", "lines/task.py"], [BY_NAME["print-settings"]])

    assert [each.module for each in made] == ["lines/task.py"]


def test_mutant_is_a_location_with_a_right_record(location, tmp_path):
    """So that no check fails for the sake of a digest."""
    after = TASK.replace("record.value)", "str(record.value))")
    mutant = CodeMutant("lines/task.py", "text-for-all", 5, TASK, after)

    mutant.materialise(location, tmp_path / "there")

    there = tmp_path / "there"
    data = (there / "lines/task.py").read_bytes()
    digest = urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    rows = list(csv.reader((there / "lines-1.dist-info/RECORD").read_text().splitlines()))
    assert data.decode() == after
    assert rows[0] == ["lines/task.py", f"sha256={digest}", str(len(data))]
    assert not (there / "lines/__pycache__").exists()
    assert (location / "lines/task.py").read_text() == TASK


def test_mutant_shows_what_is_different():
    """As a diff, and as the lines of a table of equivalents."""
    mutant = CodeMutant("a/b.py", "number", 2, "a = 1\nb = 2\n", "a = 1\nb = 3\n")

    assert mutant.diff == "--- a/a/b.py\n+++ b/a/b.py\n@@ -1,2 +1,2 @@\n a = 1\n-b = 2\n+b = 3\n"
    assert mutant.lines == ("b = 2", "b = 3")
    assert mutant.id != CodeMutant("a/b.py", "other", 2, mutant.before, mutant.after).id
