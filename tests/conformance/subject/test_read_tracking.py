"""Keys notice who asks for them, through copies and parsed settings; a check of all is no use."""

from __future__ import annotations

import copy

import pytest

from plugwright import ConfigDef, ConfigType
from plugwright.config import AbstractConfig
from plugwright_conformance.subject.read_sites import names_read
from plugwright_conformance.subject.read_tracking import ReadTracking

GIVEN = {"file": "lines", "batch": "7", "idle": "1"}
DEFINED = (
    ConfigDef()
    .define("file", ConfigType.STRING)
    .define("batch", ConfigType.INT)
    .define("idle", ConfigType.INT)
)


def of_batch(batch, **_):
    """Takes a setting by its name."""
    return batch


WAYS = {
    "in-brackets": lambda props: props["batch"],
    "by-get": lambda props: props.get("batch"),
    "whether-it-is-there": lambda props: "batch" in props,
    "of-a-copy": lambda props: dict(props)["batch"],
    "of-a-copy-with-more": lambda props: {**props, "more": "1"}["batch"],
    "of-a-deep-copy": lambda props: copy.deepcopy(props)["batch"],
    "of-a-selection": lambda props: {k: v for k, v in props.items() if v != "1"}["batch"],
    "as-an-argument": lambda props: of_batch(**props),
    "as-a-part-of-a-name": lambda props: [k for k in props if k is not None and k[:0] == "b"],
    "parsed": lambda props: DEFINED.parse(props)["batch"],
    "of-a-copy-of-parsed": lambda props: DEFINED.parse(props).copy()["batch"],
    "of-a-configuration": lambda props: AbstractConfig(DEFINED, props).get_int("batch"),
}


@pytest.mark.parametrize("ask", WAYS.values(), ids=WAYS)
def test_asked_for_setting_is_heard(ask):
    """However it is asked for, and of whichever copy."""
    asked = ReadTracking()

    with asked.listening():
        ask(asked.noticing(GIVEN))

    assert "batch" in asked.names


QUIET = {
    "nothing": lambda _: None,
    "copied": lambda props: {**dict(props), "more": "1"},
    "parsed": lambda props: [DEFINED.parse(props)],
    "validated": lambda props: [DEFINED.validate(props)],
    "a-configuration-that-is-made": lambda props: AbstractConfig(DEFINED, props),
    "another-setting": lambda props: DEFINED.parse(props)["file"],
}


@pytest.mark.parametrize("act", QUIET.values(), ids=QUIET)
def test_what_reads_every_setting_to_check_it_is_not_heard(act):
    """Or no setting would ever be idle."""
    asked = ReadTracking()

    with asked.listening():
        act(asked.noticing(GIVEN))

    assert asked.names <= {"file"}


def test_places_that_read_a_setting_are_known_without_getting_there(tmp_path, monkeypatch):
    """By its text or by a constant; a definition is no such place."""
    (tmp_path / "settings_of_it").mkdir()
    (tmp_path / "settings_of_it" / "__init__.py").write_text(
        'LATER = "retry.ms"\nIDLE = "idle.ms"\nCONFIG = [IDLE, "idle.too"]\n'
        'def f(props, config):\n    return props["file"], config.get_int(LATER)\n'
    )
    (tmp_path / "settings_of_it" / "other.py").write_text(
        'def f(key, x):\n    return key == "mode" or x.pop("gone", None) or x["file"]\n'
    )
    monkeypatch.syspath_prepend(tmp_path)
    __import__("settings_of_it")

    assert names_read(tmp_path) == {"file", "retry.ms", "mode", "gone"}
