"""A password never shows itself."""

from __future__ import annotations

import copy
import json
import pickle

import pytest

from plugwright.config import Password

SECRET = Password("s3cret")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(str(SECRET), id="str"),
        pytest.param(repr(SECRET), id="repr"),
        pytest.param(f"{SECRET}", id="f-string"),
        pytest.param("{}".format(SECRET), id="format"),  # noqa: UP032  # the point of the case
        pytest.param("%s" % SECRET, id="percent"),  # noqa: UP031  # the point of the case
        pytest.param(str(pickle.loads(pickle.dumps(SECRET))), id="pickled"),  # noqa: S301  # own
        pytest.param(str(copy.deepcopy(SECRET)), id="copied"),
    ],
)
def test_prints_as_hidden(text):
    """Every way of printing gives the same eight characters."""
    assert text == "[hidden]"


def test_hidden_inside_containers():
    """A dictionary of settings may be logged."""
    assert str({"pw": [SECRET]}) == "{'pw': [[hidden]]}"


def test_width_in_a_format_pads_what_is_shown():
    """A format specification applies to the replacement, not to the secret."""
    assert f"{SECRET:>10}" == "  [hidden]"


def test_json_refuses_it():
    """A password does not slip into a JSON document."""
    with pytest.raises(TypeError):
        json.dumps({"pw": SECRET})


def test_value_equality_and_hash_go_by_the_secret():
    """Equal secrets are equal passwords; a string is not a password."""
    assert SECRET.value == "s3cret"
    assert {SECRET: 1}[Password("s3cret")] == 1
    assert Password("other") != SECRET
    assert SECRET != "s3cret"  # noqa: S105  # a made-up one


def test_pickling_keeps_the_secret():
    """The receiver can use what the sender had."""
    assert pickle.loads(pickle.dumps(SECRET)) == SECRET  # noqa: S301  # own data
