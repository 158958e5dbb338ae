"""From a configuration to fields, and from fields to the changes that they stand for."""

from __future__ import annotations

import pytest

from plugwright.rest.console.settings_form import changes, groups_of, other_settings

SECRET = {"secret:password": ""}


@pytest.mark.parametrize(
    ("config", "form", "others", "expected"),
    [
        ({"a": "1"}, {"set:a": "1"}, {}, {}),
        ({"a": "1"}, {"set:a": "2"}, {}, {"a": "2"}),
        ({"a": "1"}, {"set:a": ""}, {}, {"a": None}),
        ({}, {"set:a": ""}, {}, {}),
        ({}, {"set:a": "x"}, {}, {"a": "x"}),
        ({"a": "x\r\ny"}, {"set:a": "x\ny"}, {}, {}),
        ({"password": "p"}, {"set:password": "", **SECRET}, {}, {}),
        ({"password": "p"}, {"set:password": "q", **SECRET}, {}, {"password": "q"}),
        (
            {"password": "p"},
            {"set:password": "", "remove:password": "yes", **SECRET},
            {},
            {"password": None},
        ),
        ({"x.y": "1"}, {"other:x.y": ""}, {"x.y": "1"}, {}),
        ({"x.y": "1"}, {"other:x.y": ""}, {"x.y": "2", "z": ""}, {"x.y": "2", "z": ""}),
        ({"x.y": "1"}, {"other:x.y": ""}, {}, {"x.y": None}),
        ({"x.y": "1", "new": "n"}, {"other:x.y": ""}, {"x.y": "1"}, {}),
        ({"empty": ""}, {"set:empty": "", "other:empty": ""}, {"empty": ""}, {}),
    ],
    ids=[
        "as it was",
        "another value",
        "emptied: the default again",
        "still the default",
        "set for the first time",
        "ends of lines as browsers send them",
        "a secret left alone",
        "another secret",
        "a secret removed",
        "others as they were",
        "others changed and added",
        "another one removed",
        "one that was added meanwhile",
        "one that is set to nothing",
    ],
)
def test_a_form_stands_for_changes_and_for_nothing_else(config, form, others, expected):
    """What was not touched is not sent, so that two operators do not undo each other."""
    assert changes(form, others, config) == expected


def _validated(key, kind, **value):
    definition = {
        "name": key,
        "type": kind,
        "required": False,
        "default_value": None,
        "documentation": "",
        "group": None,
        "display_name": key,
    }
    return {"configs": [{"definition": definition, "value": {"name": key, **value}}]}


def test_a_secret_is_not_in_its_field():
    """Nor anywhere else; the field says only that there is one."""
    validated = _validated("password", "PASSWORD")

    ((field,),) = [group.fields for group in groups_of(validated, {"password": "s3cret"})]

    assert (field.text, field.is_set) == ("", True)
    assert "s3cret" not in repr(field)
    assert other_settings(validated, {"password": "s3cret"}) == {}


@pytest.mark.parametrize(
    ("raw", "choices"),
    [(None, 3), ("true", 3), ("${env:DEBUG}", 0), ("yes", 0)],
)
def test_a_boolean_is_chosen_unless_it_holds_something_else(raw, choices):
    """A reference to a provider must survive the form."""
    config = {} if raw is None else {"debug": raw}

    ((field,),) = [group.fields for group in groups_of(_validated("debug", "BOOLEAN"), config)]

    assert len(field.choices) == choices


def test_a_setting_that_does_not_apply_has_no_field_unless_it_is_set():
    """As its recommender says."""
    validated = _validated("x", "STRING", visible=False)

    assert groups_of(validated, {}) == []
    assert len(groups_of(validated, {"x": "1"})) == 1
