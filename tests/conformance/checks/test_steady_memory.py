"""Memory that grows for a while, up to a limit, is no leak."""

from __future__ import annotations

import pytest
from tests.conformance.conftest import PLUGIN_PATH

from plugwright_conformance.evidence.outcome import Outcome
from plugwright_conformance.mutants import materialise_base

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

KEEPING = """

_append = RowsSourceTask.record


def _record(task, table, line, row):
    note = f"row {line} of {table}, as it was read"
    %s
    return _append(task, table, line, row)


RowsSourceTask.record = _record
"""


@pytest.fixture
def keeping(tmp_path, run):
    """Runs the check over the source of lines, which keeps a note of each row, too."""

    def keeping(start, step):
        location = tmp_path / "keeping"
        materialise_base("lines-source", PLUGIN_PATH, location)
        (file,) = location.glob("*/source.py")
        text = file.read_text("utf-8")
        file.write_text(f"{text}\n{start}\n{KEEPING % step}", "utf-8")
        (result,) = run(location, "CON-RES-04").results
        return result

    return keeping


@pytest.mark.parametrize(
    ("start", "step"),
    [
        pytest.param(
            "from collections import deque\nRECENT = deque(maxlen=10_000)",
            "RECENT.append(note)",
            id="a deque with a limit",
        ),
        pytest.param(
            "RECENT = {}",
            "RECENT[note] = None\n    if len(RECENT) > 10_000: RECENT.pop(next(iter(RECENT)))",
            id="entries that are taken out",
        ),
        pytest.param(
            "import functools\nremember = functools.lru_cache(maxsize=10_000)(len)",
            "remember(note)",
            id="a cache with a limit",
        ),
    ],
)
def test_a_limit_may_be_higher_than_the_values_of_the_check(keeping, start, step):
    """The task holds more and more as long as it is looked at."""
    result = keeping(start, step)

    assert (result.outcome, result.message, result.observations) == (Outcome.PASS, "", 1500)


def test_what_ends_its_growth_is_no_leak(keeping):
    """After 700 entries, as the cursors of a database driver."""
    result = keeping("RECENT = []", "if len(RECENT) < 700: RECENT.append(note)")

    assert (result.outcome, result.message, result.observations) == (Outcome.PASS, "", 1500)
