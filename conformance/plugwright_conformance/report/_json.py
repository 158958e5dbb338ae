"""``results.json``: all results of a run, for programs and for verification."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from plugwright_conformance.report.results import FORMAT
from plugwright_conformance.report.wording import profile_note, why_not_more

if TYPE_CHECKING:
    from plugwright_conformance.evidence.outcome import CheckResult
    from plugwright_conformance.report.results import RunResults
    from plugwright_conformance.subject.plugin_under_test import PluginUnderTest

_SURROGATE = re.compile("[\ud800-\udfff]")
_INVISIBLE = re.compile("[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


@dataclass(frozen=True, slots=True)
class JsonReport:
    """Writes the layout ``plugwright-results/4``: sorted keys, UTF-8, indented by two."""

    file_name: str = "results.json"

    def render(self, results: RunResults) -> bytes:
        """The results as JSON that strict parsers accept.

        Lone surrogates become U+FFFD, and numbers that JSON cannot represent become strings.
        """
        text = json.dumps(
            _run(results), sort_keys=True, indent=2, ensure_ascii=False, allow_nan=False
        )
        text = _SURROGATE.sub("\ufffd", text)
        return (_INVISIBLE.sub(_as_escape, text) + "\n").encode()


def _as_escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match.group()):04x}"


def _run(results: RunResults) -> Mapping[str, object]:
    level = results.level()
    return {
        "badges": list(results.badges()),
        "catalogue": dict(results.catalogue),
        "command": results.command,
        "complete": results.complete,
        "duration_s": results.duration_s,
        "environment": dict(results.environment),
        "format": FORMAT,
        "level": level.name if level else None,
        "obstacles": [r.label for r in results.obstacles()],
        "plugin": _plugin(results.plugin),
        "profile": results.profile,
        "profile_note": profile_note(results),
        "quality": dict(results.quality),
        "registry": list(results.registry),
        "results": [_result(r) for r in results.results],
        "seed": results.seed,
        "selection": list(results.selection),
        "setup_s": results.setup_s,
        "started": results.started,
        **({"invalid": results.invalid} if results.invalid else {}),
        "waivers": [asdict(waiver) for waiver in results.waivers],
        "why_not_more": why_not_more(results),
        "workers": results.workers,
    }


def _plugin(plugin: PluginUnderTest) -> Mapping[str, object]:
    return {
        "capabilities": _plain(plugin.capabilities),
        "digest": plugin.digest,
        "location": plugin.location,
        "name": plugin.name,
        "plugin_class": plugin.plugin_class,
        "type": plugin.type,
        "version": plugin.version,
    }


def _result(result: CheckResult) -> Mapping[str, object]:
    return {
        "begun_s": result.begun_s,
        "cells": [asdict(cell) for cell in result.cells],
        "digest": result.digest,
        "duration_s": result.duration_s,
        "engine": result.engine,
        "events": [asdict(event) for event in result.events],
        "expected": result.expected,
        "figures": _plain(result.figures),
        "group": result.group,
        "id": result.id,
        "level": result.level.name,
        "likely": result.likely,
        "mend": result.mend,
        "message": result.message,
        "observations": result.observations,
        "observed": result.observed,
        "outcome": result.outcome.value,
        "replay": result.replay,
        "revision": result.revision,
        "scenario": result.scenario,
        "seed": result.seed,
        "severity": result.severity.value,
        "title": result.title,
    }


def _plain(value: object) -> object:
    match value:
        case Mapping():
            return {str(name): _plain(item) for name, item in value.items()}
        case set() | frozenset():
            return sorted(str(item) for item in value)
        case list() | tuple():
            return [_plain(item) for item in value]
        case float() if not math.isfinite(value):
            return str(value)
        case None | bool() | int() | float() | str():
            return value
        case _:
            return str(value)
