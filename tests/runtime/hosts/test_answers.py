"""What a connector returns in a wrong form is refused by name, before it is used."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from plugwright.config import ConfigDef
from plugwright.errors import PluginError
from plugwright.hosts import answers

PLUGIN = SimpleNamespace(class_name="shop.Sink", version="1.0")


@pytest.mark.parametrize(
    ("read", "found", "reported"),
    [
        (answers.definition_from, {}, "config: it returned a dict instead of a ConfigDef"),
        (answers.task_class_from, "Task", "task_class: it returned a str instead of a class"),
        (answers.task_configs_from, None, "task_configs: it returned None instead of a list"),
        (answers.task_configs_from, "ab", "task_configs: it returned a str instead of a list"),
        (
            answers.task_configs_from,
            [{}, ("a", "b")],
            "task_configs: it returned a list with a tuple instead of a map",
        ),
    ],
)
def test_a_wrong_answer_names_method_and_forms(read, found, reported):
    """Both of them, and where it comes from."""
    with pytest.raises(PluginError) as caught:
        read(PLUGIN, found)

    assert str(caught.value) == f"shop.Sink 1.0 failed in {reported}"
    assert caught.value.code == "plugin.wrong-answer"
    assert caught.value.hint


def test_right_answers_are_passed_on():
    """Maps of any kind become plain ones."""
    definition = ConfigDef()

    assert answers.definition_from(PLUGIN, definition) is definition
    assert answers.task_class_from(PLUGIN, ConfigDef) is ConfigDef
    assert answers.task_configs_from(PLUGIN, iter([{"a": "1"}])) == [{"a": "1"}]
