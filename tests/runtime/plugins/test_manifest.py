"""The manifest reader, against literal cases and importlib_metadata."""

from __future__ import annotations

import importlib_metadata
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plugwright.plugins import PLUGIN_TYPES, read_manifest

SINK, SOURCE = "plugwright.SinkConnector", "plugwright.SourceConnector"
GROUPS = {kind.group for kind in PLUGIN_TYPES}


def _read(text):
    data = text if isinstance(text, bytes) else text.encode()
    entries, problems = read_manifest(data, GROUPS)
    return [(e.group, e.name, e.module, e.qualname) for e in entries], [
        (p.code, p.line, p.note) for p in problems
    ]


ONE = [(SINK, "a", "shop", "Sink")]


def test_two_groups_give_two_plugins():
    """A valid manifest has no findings."""
    text = f"[{SOURCE}]\na = shop.tasks:Source\n\n[{SINK}]\nb = shop:Sink\n"
    assert _read(text) == (
        [(SOURCE, "a", "shop.tasks", "Source"), (SINK, "b", "shop", "Sink")],
        [],
    )


@pytest.mark.parametrize(
    "text",
    [
        f"[{SINK}]\r\na = shop:Sink\r\n",
        f"[{SINK}]\ra = shop:Sink\r",
        f"  [{SINK}]  \n   a   =   shop : Sink  ",
        f"[ {SINK} ]\na=shop:Sink",
        f"# {SINK}\n; x = y\n\n[{SINK}]\n# b = shop:Other\n;c = shop:Other\na = shop:Sink\n",
        f"[console_scripts]\nno equals sign\n[{SINK}]\na = shop:Sink\n",
        f"[{SINK}]\na = shop:Sink\na = shop:Sink\n",
        f"[{SINK}]\na = shop:Sink\n[x]\n[{SINK}]\n",
        f"a = lost:Line\n[{SINK}]\na = shop:Sink\n",
    ],
    ids=[
        "crlf",
        "cr",
        "blanks",
        "blanks-in-header",
        "comments",
        "foreign-error",
        "twice-the-same",
        "group-twice",
        "before-any-group",
    ],
)
def test_what_may_be_in_a_manifest(text):
    """None of this changes the one plugin, or is worth a word."""
    assert _read(text) == (ONE, [])


@pytest.mark.parametrize(
    ("data", "code", "line"),
    [
        (b"\xef\xbb\xbf[plugwright.SinkConnector]\na = shop:Sink\n", "ep-bom", 1),
        (b"[plugwright.SinkConnector]\na = shop:Sink [fast]\n", "ep-extras", 2),
        (b"[plugwright.SinkConnector]\na =\n  shop:Sink\n", "ep-continuation", 2),
    ],
    ids=["bom", "extras", "continuation"],
)
def test_what_is_accepted_with_a_note(data, code, line):
    """The plugin is there all the same."""
    assert _read(data) == (ONE, [(code, line, True)])


def test_a_bad_byte_in_a_foreign_group_is_none_of_our_business():
    """The rest of the file is readable."""
    data = b"[foreign]\nx = \xff\xfe:y\n[\xff]\n[plugwright.SinkConnector]\na = shop:Sink\n"
    assert _read(data) == (ONE, [])


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"no equals sign", "ep-syntax"),
        (b"= shop:B", "ep-syntax"),
        (b"b : shop:B", "ep-syntax"),
        (b"b = not-an-id:B", "ep-syntax"),
        (b"b = 9x:B", "ep-syntax"),
        (b"b = pkg.9x:B", "ep-syntax"),
        (b"b = pkg:", "ep-syntax"),
        (b"b = :B", "ep-syntax"),
        (b"b = pkg.mod", "ep-syntax"),
        (b"b = pkg:B # c", "ep-syntax"),
        (b"b = pkg:B:C", "ep-syntax"),
        (b"b = pkg..mod:B", "ep-syntax"),
        (b"b = pkg:B [extra", "ep-syntax"),
        (b"b =", "ep-syntax"),
        (b"b\xff = pkg:B", "ep-encoding"),
    ],
    ids=repr,
)
def test_a_bad_line_of_ours_is_dropped_and_named_alone(line, code):
    """Its neighbours stay; the finding has the line's number."""
    data = b"[plugwright.SinkConnector]\na = shop:Sink\n" + line + b"\nc = shop:C\n"
    assert _read(data) == ([*ONE, (SINK, "c", "shop", "C")], [(code, 3, False)])


def test_an_indented_entry_is_no_continuation():
    """A name without a value is dropped alone."""
    found = _read(f"[{SINK}]\nb =\n  a = shop:Sink\n")
    assert found == (ONE, [("ep-syntax", 2, False)])


def test_a_header_without_its_bracket_is_reported():
    """Its lines are read: what was meant is plain."""
    assert _read(f"[{SINK}\na = shop:Sink\n") == (ONE, [("ep-syntax", 1, False)])


def test_utf_16_is_refused_as_a_whole():
    """Guessing encodings helps nobody."""
    data = f"[{SINK}]\na = shop:Sink\n".encode("utf-16")
    assert _read(data) == ([], [("ep-encoding", 1, False)])


def test_one_name_for_two_classes_keeps_both_and_says_so():
    """The finding is at the second."""
    found = _read(f"[{SINK}]\na = shop:Sink\n\na = shop:Other\n")
    assert found == ([*ONE, (SINK, "a", "shop", "Other")], [("ep-duplicate", 4, False)])


def test_the_same_name_in_two_groups_is_no_duplicate():
    """A class may have two roles."""
    found = _read(f"[{SINK}]\na = shop:Sink\n[{SOURCE}]\na = shop:Source\n")
    assert (len(found[0]), found[1]) == (2, [])


def test_nested_classes_are_named_with_dots():
    """As Python's qualified names."""
    assert _read(f"[{SINK}]\na = pkg:Outer.Inner\n")[0] == [(SINK, "a", "pkg", "Outer.Inner")]


def test_names_may_be_any_letters():
    """Identifiers are not only English."""
    assert _read(f"[{SINK}]\nä = größe:Maß\n") == ([(SINK, "ä", "größe", "Maß")], [])


@pytest.mark.parametrize(
    ("group", "codes"),
    [
        ("plugwright.SinkConnectr", [("ep-unknown-group", 1, False)]),
        ("plugwright.sinkconnector", [("ep-unknown-group", 1, False)]),
        ("plugwright.RestExtension", []),
        ("plugwright", []),
        ("plugwrong.SinkConnector", []),
        ("console_scripts", []),
    ],
    ids=str,
)
def test_a_misspelt_group_of_ours_is_reported(group, codes):
    """With the nearest known one; foreign groups are not ours to judge."""
    entries, problems = read_manifest(f"[{group}]\na = shop:Sink\n".encode(), GROUPS)
    assert (entries, [(p.code, p.line, p.note) for p in problems]) == ([], codes)


def test_the_nearest_group_is_named():
    """So that it can be corrected."""
    _, (problem,) = read_manifest(b"[plugwright.SinkConnectr]\n", GROUPS)
    assert "[plugwright.SinkConnector]" in problem.message


def test_an_empty_file_has_nothing():
    """And nothing is wrong with it."""
    assert _read("") == ([], [])


NAMES = st.from_regex(r"[a-z][a-z0-9_.-]{0,5}", fullmatch=True)
PATHS = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,3}(\.[a-z_][a-z0-9_]{0,3}){0,2}", fullmatch=True)
SPACES = st.sampled_from(["", " ", "  ", "\t"])
ENTRIES = st.builds(
    lambda name, a, b, module, qualname: f"{name}{a}={b}{module}:{qualname}",
    *(NAMES, SPACES, SPACES, PATHS, PATHS),
)
LINES = st.one_of(
    ENTRIES,
    st.sampled_from([f"[{SINK}]", f"[{SOURCE}]", "[console_scripts]", "[other]"]),
    st.sampled_from(["", "  ", "# a comment", "#=:["]),
)


@settings(max_examples=50)
@given(st.lists(LINES, max_size=12), st.sampled_from(["\n", "\r\n"]))
def test_well_formed_manifests_read_as_importlib_metadata_reads_them(lines, end):
    """The oracle of packaging."""
    text = end.join(["[other]", *lines])
    oracle = {
        (e.group, e.name, e.module, e.attr)
        for e in importlib_metadata.EntryPoints._from_text(text)
        if e.group in GROUPS
    }
    found, problems = _read(text)
    assert set(found) == oracle
    assert {code for code, _, _ in problems} <= {"ep-duplicate"}


@settings(max_examples=50)
@given(st.binary(max_size=200), st.lists(LINES, max_size=4))
def test_no_bytes_upset_the_reader(noise, lines):
    """Whatever they are, it answers, and every finding has a line."""
    data = "\n".join([f"[{SINK}]", *lines]).encode() + b"\n" + noise
    _, problems = read_manifest(data, GROUPS)
    assert all(problem.line >= 1 for problem in problems)
