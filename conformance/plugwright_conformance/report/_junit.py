"""``junit.xml``: the results for build servers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from plugwright_conformance.evidence.outcome import Outcome
from plugwright_conformance.report import wording
from plugwright_conformance.report.neutral import visible
from plugwright_conformance.report.results import FORMAT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright_conformance.evidence.outcome import CheckResult
    from plugwright_conformance.report.results import RunResults

_ISO_SECONDS = len("2026-01-31T23:59:59")


@dataclass(frozen=True, slots=True)
class JUnitReport:
    """Writes one test suite with one test case for each check.

    FAIL is a failure, ERROR an error; NOT_APPLICABLE, NOT_RUN and WAIVED are skipped, with the
    outcome in the message.
    """

    file_name: str = "junit.xml"

    def render(self, results: RunResults) -> bytes:
        """The results as JUnit XML, without characters that XML forbids."""
        root = ET.Element("testsuites", {"name": "plugwright certification"})
        suite = _child(root, "testsuite", _suite_attributes(results))
        _properties(suite, _suite_facts(results))
        if results.invalid:
            _invalid_case(suite, results)
        for result in results.results:
            _case(suite, results.plugin.plugin_class, result)
        ET.indent(root)
        body: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
        return body + b"\n"


def _child(parent: ET.Element, tag: str, attributes: Mapping[str, str]) -> ET.Element:
    return ET.SubElement(parent, tag, {name: visible(text) for name, text in attributes.items()})


def _suite_attributes(results: RunResults) -> Mapping[str, str]:
    outcomes = [r.outcome for r in results.results] + [Outcome.ERROR] * bool(results.invalid)
    failures, errors = outcomes.count(Outcome.FAIL), outcomes.count(Outcome.ERROR)
    return {
        "name": results.plugin.name,
        "tests": str(len(outcomes)),
        "failures": str(failures),
        "errors": str(errors),
        "skipped": str(len(outcomes) - failures - errors - outcomes.count(Outcome.PASS)),
        "time": f"{results.duration_s:.3f}",
        # The schema's times carry no zone; the model's are UTC.
        "timestamp": results.started[:_ISO_SECONDS],
        # The schema's word for an unknown host.
        "hostname": "localhost",
    }


def _suite_facts(results: RunResults) -> Mapping[str, str]:
    return {
        "format": FORMAT,
        "level": wording.headline(results),
        "next": wording.why_not_more(results),
        **{
            name: text
            for name, text in (
                ("profile", wording.profile_note(results)),
                ("badges", " ".join(results.badges())),
            )
            if text
        },
        "version": results.plugin.version,
        "digest": results.plugin.digest,
        "seed": results.seed,
        "command": results.command,
        **{f"environment.{name}": text for name, text in sorted(results.environment.items())},
    }


def _properties(parent: ET.Element, facts: Mapping[str, str]) -> None:
    properties = ET.SubElement(parent, "properties")
    for name, value in facts.items():
        _child(properties, "property", {"name": name, "value": value})


def _invalid_case(suite: ET.Element, results: RunResults) -> None:
    """An error of the suite itself, so that a build server does not report success."""
    name = {"classname": results.plugin.plugin_class, "name": "the run is valid", "time": "0.000"}
    case = _child(suite, "testcase", name)
    kind = _kind("invalid run")
    _child(case, "error", {"message": wording.why_not_more(results), "type": kind})


def _kind(words: str) -> str:
    return f"plugwright.{words.replace(' ', '-')}"


def _case(suite: ET.Element, plugin_class: str, result: CheckResult) -> None:
    case = _child(
        suite,
        "testcase",
        {
            # A dot would open a package of its own in the tree that build servers draw.
            "classname": f"{plugin_class}.{result.group.replace('.', ' ')}",
            "name": f"{result.label} {result.title}",
            "time": f"{result.duration_s:.3f}",
        },
    )
    _properties(case, _case_facts(result))
    _verdict(case, result)


def _case_facts(result: CheckResult) -> Mapping[str, str]:
    return {
        "id": result.id,
        **({"engine": result.engine} if result.engine else {}),
        "level": result.level.name,
        "severity": result.severity.value,
        "outcome": result.outcome.value,
        "seed": result.seed,
        "replay": result.replay,
    }


def _verdict(case: ET.Element, result: CheckResult) -> None:
    tag = {Outcome.FAIL: "failure", Outcome.ERROR: "error"}.get(result.outcome, "skipped")
    kind = _kind(wording.WORDS[result.outcome])
    if result.outcome is Outcome.PASS:
        return
    if tag == "skipped":
        reason = f": {result.message}" if result.message else ""
        _child(case, tag, {"message": wording.WORDS[result.outcome] + reason, "type": kind})
        return
    element = _child(case, tag, {"message": result.message or result.observed, "type": kind})
    element.text = visible(_failure_text(result))


def _failure_text(result: CheckResult) -> str:
    lines = [f"{wording.failure_heading(result)}  {result.title}"]
    lines += [f" {label:<10} {text}" for label, text in wording.failure_rows(result)]
    return "\n".join(lines)
