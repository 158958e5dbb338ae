"""The manifest reader, against literal cases and importlib_metadata."""

from __future__ import annotations

import importlib_metadata
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plugwright.plugins import PLUGIN_TYPES, foreign_problems, read_manifest
from plugwright.plugins.manifest import is_foreign

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
    """Case 1: a valid manifest has no findings."""
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
    """Cases 2, 7, 17 and 20: none of this changes the one plugin, or is worth a word."""
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
    """Cases 5, 15 and 16: the plugin is there all the same."""
    assert _read(data) == (ONE, [(code, line, True)])


def test_a_bad_byte_in_a_foreign_group_is_none_of_our_business():
    """Case 4: the rest of the file is readable."""
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
    """Cases 3, 4 and 14: its neighbours stay; the finding has the line's number."""
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
    """Case 6: encodings are not guessed."""
    data = f"[{SINK}]\na = shop:Sink\n".encode("utf-16")
    assert _read(data) == ([], [("ep-encoding", 1, False)])


def test_one_name_for_two_classes_keeps_both_and_says_so():
    """Case 18: the finding is at the second."""
    found = _read(f"[{SINK}]\na = shop:Sink\n\na = shop:Other\n")
    assert found == ([*ONE, (SINK, "a", "shop", "Other")], [("ep-duplicate", 4, False)])


def test_the_same_name_in_two_groups_is_no_duplicate():
    """A class may have two roles."""
    found = _read(f"[{SINK}]\na = shop:Sink\n[{SOURCE}]\na = shop:Source\n")
    assert (len(found[0]), found[1]) == (2, [])


def test_nested_classes_are_named_with_dots():
    """Case 28: as Python's qualified names."""
    assert _read(f"[{SINK}]\na = pkg:Outer.Inner\n")[0] == [(SINK, "a", "pkg", "Outer.Inner")]


def test_names_may_be_any_letters():
    """Identifiers are not only English."""
    assert _read(f"[{SINK}]\nä = größe:Maß\n") == ([(SINK, "ä", "größe", "Maß")], [])


@pytest.mark.parametrize(
    ("group", "codes"),
    [
        ("plugwright.SinkConnectr", [("ep-unknown-group", 1, False)]),
        ("plugwright.sinkconnector", [("ep-unknown-group", 1, False)]),
        ("plugwright", []),
        ("plugwrong.SinkConnector", []),
        ("console_scripts", []),
    ],
    ids=str,
)
def test_a_misspelt_group_of_ours_is_reported(group, codes):
    """Case 19: with the nearest known one; foreign groups are not ours to judge."""
    entries, problems = read_manifest(f"[{group}]\na = shop:Sink\n".encode(), GROUPS)
    assert (entries, [(p.code, p.line, p.note) for p in problems]) == ([], codes)


def test_the_nearest_group_is_named():
    """So that it can be corrected."""
    _, (problem,) = read_manifest(b"[plugwright.SinkConnectr]\n", GROUPS)
    assert "[plugwright.SinkConnector]" in problem.message


def test_an_empty_file_has_nothing():
    """Case 13: and nothing is wrong with it."""
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


@pytest.mark.slow
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


@pytest.mark.slow
@settings(max_examples=50)
@given(st.binary(max_size=200), st.lists(LINES, max_size=4))
def test_no_bytes_upset_the_reader(noise, lines):
    """Whatever they are, it answers, and every finding has a line."""
    data = "\n".join([f"[{SINK}]", *lines]).encode() + b"\n" + noise
    _, problems = read_manifest(data, GROUPS)
    assert all(problem.line >= 1 for problem in problems)


def _foreign(data):
    return [(p.code, p.line, p.note) for p in foreign_problems(data, GROUPS)]


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"[console_scripts]\na = b:c\nno equals sign\nnor here\n", [("ep-syntax", 3, True)]),
        (b"[other]\nx = \xff:y\n", [("ep-encoding", 2, True)]),
        (b"[\xff]\nx = y\n", [("ep-encoding", 1, True)]),
        (b"[other]\r\nno\r\n\xff\r\n", [("ep-syntax", 2, True), ("ep-encoding", 3, True)]),
        (b"[other]\na =\n  b:c\n", []),
        (b"[other]\n# none\n; none\na = b:c\n", []),
        (b"[plugwright.SinkConnector]\nno equals sign\n\xff\n", []),
        (b"[plugwright.SinkConnectr]\nno equals sign\n", []),
        (b"before any group\n", []),
        ("[other]\nno".encode("utf-16"), []),
        (b"", []),
    ],
    ids=range(11),
)
def test_what_other_readers_do_not_bear_in_foreign_groups_is_noted(data, found):
    """Cases 2 and 4: once a file and kind; ours are judged elsewhere."""
    assert _foreign(data) == found


@pytest.mark.parametrize("data", [b"[o]\nno\n", b"[o]\na = \xff\n"], ids=["syntax", "encoding"])
def test_the_library_does_not_bear_what_is_noted(data, tmp_path):
    """Case 2: one such file, and nothing is found."""
    directory = tmp_path / "o-1.dist-info"
    directory.mkdir()
    (directory / "METADATA").write_text("Name: o\nVersion: 1\n")
    (directory / "entry_points.txt").write_bytes(data)
    (distribution,) = importlib_metadata.distributions(path=[str(tmp_path)])
    with pytest.raises((TypeError, UnicodeDecodeError)):
        [each.value for each in distribution.entry_points]


@pytest.mark.parametrize(
    ("value", "advice"),
    [
        ("not-an-id:B", "; 'not-an-id' is not a module name"),
        ("9x:B", "; '9x' is not a module name"),
        ("pkg:", ", which names no class after the colon"),
        (":B", ", which names no module"),
        ("pkg.mod", ""),
        ("pkg:B # c", "; a comment needs a line of its own"),
        ("pkg:B-C", "; 'B-C' is not a class name"),
    ],
)
def test_every_wrong_value_has_its_own_message(value, advice):
    """Case 14: what it lacks, or has too much of."""
    _, (problem,) = read_manifest(f"[{SINK}]\nb = {value}\n".encode(), GROUPS)
    assert problem.message == f"expected 'module:Class', found {value!r}{advice}"


@pytest.mark.parametrize(
    ("group", "advice"),
    [
        ("plugwright.SinkConnectr", "the nearest known one is [plugwright.SinkConnector]"),
        ("plugwright.sourceconnector", "the nearest known one is [plugwright.SourceConnector]"),
        ("plugwright.Transform", "the nearest known one is [plugwright.Transformation]"),
        ("Plugwright.Predicates", "the nearest known one is [plugwright.Predicate]"),
        ("plugwright.sink.SinkConnector", "the nearest known one is [plugwright.SinkConnector]"),
        (
            "plugwright.Widget",
            (
                "the known ones are [plugwright.ClientConfigOverridePolicy], "
                "[plugwright.ConfigProvider], "
            ),
        ),
    ],
)
def test_a_plugin_in_a_misspelt_group_is_named_with_the_right_one(group, advice):
    """Case 19: what is lost, and where it belongs."""
    _, (problem,) = read_manifest(f"[{group}]\na = shop:Sink\n".encode(), GROUPS)
    expected = f"nothing reads the group [{group}], so shop:Sink is not found; {advice}"
    assert problem.message.startswith(expected)


def test_of_many_lost_plugins_three_are_named():
    """That is enough to know them by."""
    text = "[plugwright.Sink]\n" + "".join(f"{n} = shop:{n}\n" for n in "abcde")
    _, (problem,) = read_manifest(text.encode(), GROUPS)
    assert "so shop:a, shop:b, shop:c, … is not found" in problem.message


_PIECES = (
    b"[",
    b"]",
    b"plugwright.",
    b"PlugWright.",
    b"SinkConnector",
    b"x",
    b"=",
    b":",
    b"\n",
    b"\r",
)
_MORE = (b" ", b"\t", b"#", b";", b"\xff", b"\xef\xbb\xbf", b"\0", b"[x]\ny = z:Z\n", b"\r\n")


@pytest.mark.slow
@settings(max_examples=100)
@given(st.lists(st.sampled_from(_PIECES + _MORE), max_size=12).map(b"".join))
def test_a_manifest_that_is_passed_over_has_nothing_to_tell(data):
    """Neither an entry nor anything wrong."""
    found = (*_read(data), foreign_problems(data, GROUPS))
    assert not is_foreign(data) or found == ([], [], [])


@pytest.mark.parametrize(
    ("text", "passed"),
    [
        (b"", True),
        (b"[console_scripts]\na = b:c\n\n; x\n[x]\r\na=b\r\n", True),
        (b"# plugwright.SinkConnector\n[x]\nplugwright.x = y\n", True),
        (b"[plugwright.SinkConnector]\n", False),
        (b"[ \tPLUGWRIGHT.Sink]\n", False),
        (b"[plugwright.Sink=]\n", False),
        (b" [plugwright.SinkConnector]\n", False),
        (b"[x]\r[plugwright.SinkConnector]\n", False),
        (b"x = y\r[plugwright.SinkConnector]\n", False),
        (b"# x\r[plugwright.SinkConnector]\n", False),
        (b"[x]\nno entry\n", False),
        (b"[x]\na = \xff\n", False),
    ],
)
def test_the_usual_foreign_manifest_is_passed_over(text, passed):
    """Anything that is not plainly one is read."""
    assert is_foreign(text) is passed
