"""Words of a process that runs a plugin, some of them written by hand to do harm."""

from __future__ import annotations

import pickletools
from dataclasses import dataclass
from enum import StrEnum

import pytest

from plugwright_conformance.processes.isolated_process import ChildError, run_in_child
from plugwright_conformance.processes.plain_data import UnexpectedError, packed, unpacked

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),  # of a test process
]


class Topic(StrEnum):
    """A text of a plugin's own type."""

    ORDERS = "orders"


@dataclass
class Report:
    """What is expected."""

    topic: str


def _call_of(path):
    """The pickle that has its reader call ``os.mkdir``, in the letters of protocol 0."""
    return f"cos\nmkdir\n(V{path}\ntR.".encode()


def _global_of(module, name):
    """The pickle of something that protocol 4 finds by these names."""
    texts = [b"\x8c" + bytes([len(text)]) + text.encode() for text in (module, name)]
    return b"\x80\x04" + b"".join(texts) + b"\x93."


HARM = {
    "function": lambda path: _call_of(path).replace(b"cos", b"cposix"),
    "attribute of what is expected": lambda _: _global_of(Report.__module__, "Report.__init__"),
    "import": lambda _: b"cantigravity\nfly\n.",
    "nonsense": lambda _: b"\x80\x05no pickle",
    "nothing": lambda _: b"",
}


@pytest.mark.parametrize("harm", HARM.values(), ids=HARM.keys())
def test_words_that_name_anything_else_are_refused(harm, tmp_path):
    """Nothing is called, imported, or looked up in what is expected."""
    with pytest.raises(UnexpectedError):
        unpacked(harm(tmp_path / "made"), [Report])

    assert not (tmp_path / "made").exists()


def test_process_that_says_such_words_has_failed(tmp_path):
    """The one that listens goes on, unharmed."""
    path = tmp_path / "made"

    with pytest.raises(ChildError, match=r"sent a message that cannot be read: os\.mkdir"):
        run_in_child(lambda host: host._line.send_bytes(_call_of(path)), lambda _: None, 60)

    assert not path.exists()


def test_harmful_words_would_do_harm():
    """Were they read by a reader that reads everything; so the tests above refuse something."""
    reported = [op.name for op, _, _ in pickletools.genops(_call_of("x"))]

    assert reported == ["GLOBAL", "MARK", "UNICODE", "TUPLE", "REDUCE", "STOP"]


def test_expected_classes_come_through():
    """With texts of a plugin's own type as plain ones, which name no class of the plugin."""
    found = unpacked(packed((Report(Topic.ORDERS), {"n": [1, 2.5, None, b"x", {3}]})), [Report])

    assert found == (Report("orders"), {"n": [1, 2.5, None, b"x", {3}]})
    assert type(found[0].topic) is str
