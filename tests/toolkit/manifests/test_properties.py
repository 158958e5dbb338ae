"""What holds for every location, however its manifests and classes happen to be."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.toolkit.manifests.conftest import Place, record_errors, snapshot, times

from plugwright.plugins import survey
from plugwright_toolkit.manifests import ManifestLine

pytestmark = pytest.mark.slow

CLASSES = [f"{kind} {name}:{cls}" for kind in ("sink", "source") for name in "ab" for cls in "PQ"]
GROUPS = {"sink": "plugwright.SinkConnector", "source": "plugwright.SourceConnector"}

_states = st.sampled_from([True, "abstract", "module-missing", "import-error", "import-timeout"])
_facts = st.dictionaries(st.sampled_from(CLASSES), _states, max_size=6)
_declared = st.lists(st.sampled_from(CLASSES), max_size=6)
_foreign = st.sampled_from(["", "[console_scripts]\nx = y:z\n\n", "# Licence\n\n", "[z]\nbad\n"])
_made = st.fixed_dictionaries({"declared": _declared, "foreign": _foreign, "record": st.booleans()})


def _manifest(made):
    text = made["foreign"]
    for kind, group in GROUPS.items():
        lines = dict.fromkeys(
            f"{c.split()[1]}".replace(":", ".") + f" = {c.split()[1]}\n"
            for c in made["declared"]
            if c.startswith(f"{kind} ")
        )
        text += f"[{group}]\n{''.join(lines)}\n" if lines else ""
    return text


def _built(root, facts, shops):
    place = Place(Path(root) / "place")
    for name, made in shops.items():
        place.module(name)
        place.distribution(
            name, files=[f"{name}.py"], record=made["record"], manifest=_manifest(made)
        )
    place.facts = facts
    return place


def _changes(result):
    return [
        (unit.manifest, unit.changes, unit.repairs)
        for outcome in result.outcomes
        for unit in outcome.plan.units
    ]


_shops = st.fixed_dictionaries({"a": _made, "b": _made})


@settings(max_examples=40, deadline=None)
@given(_facts, _shops, st.booleans(), st.booleans())
def test_a_sync_is_settled_planned_and_complete(facts, shops, keep, shim):
    """E4: the dry plan is the real one, all loadable is declared, and the second run rests."""
    with tempfile.TemporaryDirectory() as root:
        place = _built(root, facts, shops)
        before = {ManifestLine(*each) for each in _named(place)}
        options = {"keep_not_found": keep, "shim": shim}
        planned, shown = place.sync(dry_run=True, **options), snapshot(place.path)
        result = place.sync(**options)
        assert not result.failed
        assert _changes(planned) == _changes(result)
        assert result.changed or snapshot(place.path) == shown
        named = {ManifestLine(*each) for each in _named(place)}
        loadable = {
            ManifestLine(GROUPS[k], *v.split(":"))
            for k, v in (fact.split() for fact, state in facts.items() if state is True)
        }
        assert loadable <= named <= before | loadable
        assert not keep or before <= named
        assert record_errors(place.path) == []
        rested = times(place.path)
        assert not place.sync(**options).needed
        assert times(place.path) == rested


def _named(place):
    from plugwright.plugins import Plugins  # noqa: PLC0415  # one use

    found = Plugins.service_load([place.path]).descriptors
    return {(each.type.group, each.module, each.qualname) for each in found}


CODE = """
from abc import abstractmethod

import plugwright

class Good(plugwright.SinkConnector):
    def version(self): return "1"
    def start(self, props): pass
    def task_class(self): return object
    def task_configs(self, max_tasks): return []
    def stop(self): pass
    def config(self): return None

class Abstract(Good):
    @abstractmethod
    def more(self): ...

class Other:
    pass
"""


def test_the_real_survey_decides(place):
    """Case 90: what is there is added, what is proved absent goes, what is unknown stays."""
    shop = place()
    shop.module("shop", CODE)
    shop.module("broken", "import not_installed_anywhere\n")
    names = ("shop:Abstract", "shop:Other", "shop:Missing", "gone:Gone", "broken:Broken")
    lines = "".join(f"{name.replace(':', '.')} = {name}\n" for name in names)
    shop.distribution(
        files=["shop.py", "broken.py"], manifest=f"[plugwright.SinkConnector]\n{lines}"
    )
    assert shop.sync(look=survey).changed
    assert shop.declared() == [("sink", "broken.Broken"), ("sink", "shop.Good")]
    assert record_errors(shop.path) == []
    assert not shop.sync(look=survey).needed
