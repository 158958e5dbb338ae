"""A waiver lets one check fail for a while, and has to be handed back in time."""

from __future__ import annotations

import datetime as dt

import pytest
from tests.conformance.execution.given_checks import OUTCOMES, check, raising

from plugwright.errors import ConnectError
from plugwright_conformance.evidence.outcome import CheckFailedError, Level, NotRunError, Outcome
from plugwright_conformance.execution.runner import RunOptions, run_checks
from plugwright_conformance.subject.waivers import (
    Waiver,
    read_waivers,
    require_in_force,
    waivers_from,
)

TODAY = dt.date(2026, 6, 1)
GOOD = {
    "id": "TST-TST-01",
    "reason": "the server is replaced in June",
    "owner": "data team",
    "created": "2026-05-01",
    "expires": "2026-07-01",
}


def waiver(**changes):
    """A waiver that is in force on the day of these tests."""
    return Waiver(**(GOOD | changes))


def refusal(act, *arguments):
    """Code and text of the error, with what to do next."""
    with pytest.raises(ConnectError) as caught:
        act(*arguments)
    return caught.value.code, str(caught.value), caught.value.hint


def test_file_of_waivers_is_read(tmp_path):
    """Dates may be written as TOML's own."""
    file = tmp_path / "waivers.toml"
    file.write_text(
        '[[waiver]]\nid = "TST-TST-01"\nreason = "the server is replaced in June"\n'
        'owner = "data team"\ncreated = 2026-05-01\nexpires = "2026-07-01"\nissue = "#7"\n'
    )

    assert read_waivers(file) == (waiver(issue="#7"),)


@pytest.mark.parametrize(
    ("change", "reported"),
    [
        ({"reason": " "}, "x: the waiver TST-TST-01 lacks reason"),
        ({"owner": ""}, "x: the waiver TST-TST-01 lacks owner"),
        ({"expires": ""}, "x: the waiver TST-TST-01 lacks expires"),
        ({"expires": "soon"}, "x: the waiver TST-TST-01 has no ISO date in 'soon'"),
        ({"why": "?"}, "x: the waiver TST-TST-01 has an unknown field why"),
        (
            {"expires": "2026-08-01"},
            "x: the waiver TST-TST-01 lasts from 2026-05-01 to 2026-08-01; at most 90 days do",
        ),
    ],
    ids=["reason", "owner", "expires", "date", "unknown", "too-long"],
)
def test_waiver_that_says_too_little_or_too_much_is_refused(change, reported):
    """Whoever reads a certificate has to know why, who, and until when."""
    code, text, _ = refusal(waivers_from, [GOOD | change], "x")

    assert (code, text) == ("waiver.invalid", reported)


@pytest.mark.parametrize(
    ("waivers", "code"),
    [
        ([waiver(id="TST-TST-09")], "waiver.unknown-check"),
        ([waiver(), waiver(owner="others")], "waiver.repeated"),
        ([waiver(expires="2026-06-01")], "waiver.expired"),
        ([waiver(created="2026-06-02")], "waiver.expired"),
    ],
    ids=["unknown", "twice", "on-its-last-day", "not-yet"],
)
def test_waiver_that_does_not_count_has_to_go(waivers, code):
    """It is not passed over in silence (H16)."""
    found, _, hint = refusal(require_in_force, waivers, ["TST-TST-01"], TODAY)

    assert (found, hint) == (code, "remove this waiver")


FAILS = raising(CheckFailedError("a", "b"))


class TestRun:
    """Waivers in a run, which is today."""

    @pytest.fixture
    def result(self, subject, workspace, listener):
        """The result of one waived check, and its run."""
        today = dt.datetime.now(dt.UTC).date()
        leave = waiver(created=str(today), expires=str(today + dt.timedelta(days=1)))

        def result(act, **more):
            options = RunOptions(seed="7f3c", records=1000, waivers=(leave,))
            registry = [check(1, act, **more)]
            run = run_checks(
                subject("file-sink"),
                registry,
                options,
                workspace=workspace,
                live=None,
                listener=listener,
            )
            return run.results[0], run

        return result

    def test_waived_failure_is_reported_with_its_reason(self, result):
        """It is neither a pass nor a failure, and the waiver is in the results."""
        found, run = result(FAILS)

        assert found.outcome is Outcome.WAIVED
        assert found.message.startswith("the server is replaced in June (data team, until ")
        assert [waiver.id for waiver in run.waivers] == ["TST-TST-01"]

    @pytest.mark.parametrize("act", ["pass", "not-applicable"])
    def test_waived_check_that_is_fulfilled_fails_the_run(self, result, act):
        """A waiver that is of no more use has to go (H17)."""
        found, run = result(OUTCOMES[act][0])

        assert (found.outcome, found.mend) == (Outcome.FAIL, "remove this waiver")
        assert found.message.endswith("remove this waiver")
        assert run.waivers == []

    def test_waived_check_that_did_not_run_is_not_waived(self, result):
        """What was not seen to fail needs no leave."""
        found, _ = result(raising(NotRunError("no broker")))

        assert found.outcome is Outcome.NOT_RUN

    def test_level_does_not_stand_on_a_waiver(self, result):
        """A must-check that may not be waived caps the level (H18)."""
        _, run = result(FAILS)

        assert (run.level(), run.obstacles()[0].level) == (None, Level.C1)
