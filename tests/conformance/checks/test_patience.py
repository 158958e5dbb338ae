"""Good connectors that take their time pass the checks that look at a task; broken ones do not."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from plugwright_conformance.checks import CHECKS
from plugwright_conformance.evidence.outcome import Outcome
from plugwright_conformance.execution.runner import RunOptions, run_checks
from plugwright_conformance.subject.subject import open_subjects

pytestmark = pytest.mark.slow

STOP = "\n\nclass PatientSourceTask"
"""What comes after the last method of the sink's task."""
URL_IS = 'documentation="Where the other side is.",'
"""The end of the definition of service.url."""
PATIENT = Path(__file__).with_name("patient")
SINK, SOURCE = "patient.PatientSinkConnector", "patient.PatientSourceConnector"
OF_BOTH = (
    "CON-LIF-02",
    "CON-LIF-03",
    "CON-LIF-05",
    "CON-LIF-09",
    "CON-RES-08",
    "CON-SEC-02",
    "CON-SEC-03",
    "CON-SEC-04",
    "CON-SPK-01",
    "CON-SPK-03",
    "CON-SPK-11",
)
PASSED = {SINK: (*OF_BOTH, "SNK-OFF-01"), SOURCE: (*OF_BOTH, "CON-SEC-09")}


@pytest.fixture
def checked(tmp_path, workspace, listener):
    """Runs checks over a patient connector, its code changed."""

    def checked(plugin, *checks, old="", new="", stop="", config=""):
        location = tmp_path / "patient"
        shutil.copytree(PATIENT, location)
        module = location / "patient" / "__init__.py"
        code = module.read_text("utf-8")
        assert old in code
        code = code.replace(old, new) if old else code
        code = code.replace(URL_IS, URL_IS + config)
        module.write_text(code.replace(STOP, stop + STOP), "utf-8")
        subject = open_subjects(location, workspace, plugin)[0]
        options = RunOptions(seed="ab", records=300, selection=checks, skip_waits=True)
        return run_checks(
            subject, CHECKS, options, workspace=workspace, live=None, listener=listener
        ).results

    return checked


@pytest.mark.parametrize("plugin", [SINK, SOURCE], ids=["sink", "source"])
def test_connector_that_takes_its_time_passes(plugin, checked):
    """It asks for a batch again, hands out one record a poll, and has no task at first."""
    results = checked(plugin, *PASSED[plugin])

    assert {r.id: (r.outcome, r.message) for r in results} == dict.fromkeys(
        PASSED[plugin], (Outcome.PASS, "")
    )


@pytest.mark.parametrize("plugin", [SINK, SOURCE], ids=["sink", "source"])
def test_outage_that_is_waited_out_is_shown_by_no_status(plugin, checked):
    """The task says nothing of it and promises nothing, so there is nothing to judge."""
    (result,) = checked(plugin, "CON-OBS-04")

    assert (result.outcome, result.message) == (
        Outcome.NOT_APPLICABLE,
        "the task waits until the outage ends, so no status shows it",
    )


def test_sink_that_promises_what_was_refused_is_not_patient(checked):
    """A write that failed and is committed is shown by nothing at all."""
    (result,) = checked(
        SINK,
        "CON-OBS-04",
        old="with suppress(OSError):\n",
        new="self._durable.update({home: max(held) + 1 for home, held in self._held.items()})\n"
        "            with suppress(OSError):\n",
    )

    assert (result.outcome, result.observed) == (
        Outcome.FAIL,
        "no error, and the offset of a put record is committed",
    )


def test_failure_without_its_cause_is_found_behind_an_idle_poll(checked):
    """The first poll is always in vain here, the second one fails."""
    (result,) = checked(
        SOURCE,
        "CON-OBS-04",
        old='raise RetriableError("nothing this time") from error',
        new='raise ConnectError("not available") from None',
    )

    assert (result.outcome, result.expected) == (
        Outcome.FAIL,
        "the endpoint's error text: No such file",
    )


LEAKS = {
    "in-the-name-of-a-thread": (
        SOURCE,
        "self._file, self._topic, self._polls =",
        "__import__('threading').current_thread().name = f\"of {props['login.password']}\"\n"
        + 8 * " "
        + "self._file, self._topic, self._polls =",
        "in: thread of <secret>",
    ),
    "in-an-error-that-is-tried-again": (
        SINK,
        'raise RetriableError("once more, please")',
        "raise RetriableError(f\"once more, {self.context.configs['login.password']}\")",
        "once more, <secret>",
    ),
    "at-the-second-poll": (
        SOURCE,
        "file.seek(self._position)\n",
        "file.seek(self._position)\n"
        + 16 * " "
        + "print(self.context.configs['login.password'])\n",
        "in: <secret>",
    ),
}


@pytest.mark.parametrize(("plugin", "old", "new", "seen"), LEAKS.values(), ids=LEAKS)
def test_secret_is_seen(plugin, old, new, seen, checked):
    """In every place where it could be read."""
    (result,) = checked(plugin, "CON-SEC-02", old=old, new=new)

    assert (result.outcome, result.expected) == (
        Outcome.FAIL,
        "the value of login.password nowhere",
    )
    assert seen in result.observed


PARTITION = 'SourceRecord({"file": "lines"}, offset'
"""Where the source names its partition; ``lookups`` of the stored offset stay as they are."""
URL_IN_PARTITION = """SourceRecord({"url": self.context.configs.get("service.url")}, offset"""
LOGIN_IN_PARTITION = """SourceRecord({"as": self.context.configs["login.password"]}, offset"""
START = '"""Begin behind the stored offset."""\n'
REFUSES_AT_START = """        if "@" in props.get("service.url", ""):
            raise ConnectError("an address has no password")
"""
REFUSES_URLS = "validator=__import__('plugwright').ValidString.in_('')"


@pytest.mark.parametrize(
    ("new", "config", "key"),
    [
        (URL_IN_PARTITION, "", "service.url"),
        (LOGIN_IN_PARTITION, "", "login.password"),
        (LOGIN_IN_PARTITION, REFUSES_URLS, "login.password"),
    ],
    ids=["url", "password", "password-though-urls-are-refused"],
)
def test_secret_in_an_offset_is_seen(new, config, key, checked):
    """Of a URL, and of a setting that is a password."""
    (result,) = checked(SOURCE, "CON-SEC-09", old=PARTITION, new=new, config=config)

    assert (result.outcome, result.expected) == (Outcome.FAIL, f"offsets without {key}")
    assert "<secret>" in result.observed
    assert "canary" not in result.observed


def test_source_that_refuses_urls_with_a_password_is_not_failed_for_it(checked):
    """Its validation keeps them from every worker, so that none can stand in an offset."""
    (result,) = checked(
        SOURCE, "CON-SEC-09", old=PARTITION, new=URL_IN_PARTITION, config=REFUSES_URLS
    )

    assert (result.outcome, result.message) == (Outcome.PASS, "")


def test_source_that_refuses_urls_with_a_password_as_it_starts_is_not_failed_for_it(checked):
    """A start may look closer than validation does."""
    (result,) = checked(SOURCE, "CON-SEC-09", old=START, new=START + REFUSES_AT_START)

    assert (result.outcome, result.message) == (Outcome.PASS, "")


def test_start_that_failed_is_stopped_by_the_worker_itself(checked):
    """What its stop() raises is seen, though the loop tells of the first error."""
    (result,) = checked(
        SINK,
        "CON-LIF-03",
        old='self._file = Path(props["file"])\n',
        new='self._file = Path(props["file"])\n        self._file.stat()\n',
        stop="        again, self.again = getattr(self, 'again', False), True\n"
        "        again or self.opened\n",
    )

    assert (result.outcome, result.scenario) == (Outcome.FAIL, "after a start() that failed")
    assert "has no attribute 'opened'" in result.observed
