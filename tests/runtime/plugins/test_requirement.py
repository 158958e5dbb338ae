"""Version requirements of KIP-891, against literal answers."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from plugwright.errors import ConfigError, NotFoundError
from plugwright.plugins import CONVERTER, SINK, Location, PluginDescriptor, Plugins
from plugwright.plugins import VersionRequirement as Requirement

CASE_77 = ("1.9", "1.10", "2.0rc1")


def _copies(*versions, places=()):
    """One class in several versions, each in a location of its own."""
    return Plugins(
        [],
        [
            PluginDescriptor(SINK, "shop", "Sink", "s", "shop", version, Location(Path(place)))
            for version, place in zip(
                versions, places or [f"/p/{n}" for n in range(9)], strict=False
            )
        ],
        [],
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (None, "1.10"),
        ("latest", "1.10"),
        ("1.9", "1.9"),
        (" 1.9 ", "1.9"),
        ("1.9.0", "1.9"),
        ("2.0rc1", "2.0rc1"),
        ("2.0.RC1", "2.0rc1"),
        (">=2.0rc1", "2.0rc1"),
        (">=1.0", "1.10"),
        (">=1.0,<1.10", "1.9"),
        ("~=1.9", "1.10"),
        ("!=1.10", "1.9"),
        ("==1.*", "1.10"),
        (">1.10", "2.0rc1"),
        ("[1.0,1.10)", "1.9"),
        ("[1.0,1.10]", "1.10"),
        ("(1.9,)", "1.10"),
        ("[1.9,)", "1.10"),
        ("(,1.9]", "1.9"),
        ("(,)", "1.10"),
        ("[1.9]", "1.9"),
        ("[1.9,1.9]", "1.9"),
        ("(,1.9),(1.9,)", "1.10"),
        ("[1.9] , [2.0rc1]", "2.0rc1"),
        ("(,1.0],[1.9,1.10)", "1.9"),
        (" [ 1.0 , 1.10 ) ", "1.9"),
    ],
    ids=repr,
)
def test_the_highest_version_that_fits_is_found(text, found):
    """Case 77: of 1.9, 1.10 and 2.0rc1, a pre-release only if named or nothing else fits."""
    assert _copies(*CASE_77).find("Sink", SINK, version=text).version == found


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[1.0", "a range is not closed"),
        ("[1.0,2.0", "a range is not closed"),
        ("1.0)", "it is neither a version nor a range"),
        ("(1.0)", "a single version must be surrounded by []"),
        ("[]", "a single version must be surrounded by []"),
        ("[1.0,2.0,3.0]", "[1.0,2.0,3.0] has more than two ends"),
        ("[2.0,1.0]", "no version lies between 2.0 and 1.0"),
        ("[1.0,1.0)", "no version lies between 1.0 and 1.0"),
        ("[1.0,x]", "it is not a set of version specifiers"),
        ("[1.0]2.0", "something stands between two ranges"),
        ("[1.0][2.0]", "something stands between two ranges"),
        (">=x", "it is not a set of version specifiers"),
        (">=", "it is not a set of version specifiers"),
        ("=1.0", "it is not a set of version specifiers"),
        ("1.0, 2.0", "it is neither a version nor a range"),
        ("not a version", "it is neither a version nor a range"),
    ],
)
def test_what_is_no_requirement_is_explained(text, reason):
    """With what would be one."""
    with pytest.raises(ConfigError) as caught:
        Requirement.parse(text)
    assert str(caught.value).startswith(f"{text!r} is not a version requirement: ")
    assert reason in str(caught.value)
    assert caught.value.hint == "write a version, >=1.0,<2.0, [1.0,2.0) or latest"


def test_a_version_that_is_nowhere_lists_those_that_are():
    """Case 77: in the words of Kafka, with the location of each."""
    with pytest.raises(NotFoundError) as caught:
        _copies(*CASE_77).find("Sink", SINK, version="3.0")
    assert str(caught.value) == (
        "Plugin shop.Sink not found that matches the version range 3.0, "
        "available versions: [1.10 (/p/1), 1.9 (/p/0), 2.0rc1 (/p/2)]"
    )
    assert (caught.value.code, caught.value.facts["requirement"]) == (
        "plugin.no-such-version",
        "3.0",
    )


@pytest.mark.parametrize(
    ("version", "text", "fits"),
    [
        ("1.0", "1.0", True),
        ("1.0+local", "1.0", False),
        ("1.0.post1", "1.0", False),
        ("1.0+local", "==1.0", True),
        ("2.0rc1", "[1.0,2.0)", False),
        ("2.0.dev1", "<2.0", False),
        ("build-7", "build-7", True),
        ("build-7", "build-8", False),
        ("build-7", ">=0", False),
        ("build-7", "(,)", False),
        ("undefined", "undefined", True),
        ("undefined", "1.0", False),
        ("undefined", "latest", True),
        ("1.0", "undefined", False),
    ],
)
def test_what_fits(version, text, fits):
    """A bare version is exact, and a text that is no version equals only itself."""
    assert Requirement.parse(text).allows(version) is fits


@pytest.mark.parametrize(
    "versions",
    [("0.1", "zzz"), ("0.1rc1", "zzz"), ("zzz", "undefined"), ("zzz", "aaa"), ("1!0.1", "9")],
    ids=repr,
)
def test_versions_that_are_none_come_last(versions):
    """Case 78: below every version of PEP 440, compared as text, and no version at the very end."""
    assert _copies(*reversed(versions)).find("Sink", SINK).version == versions[0]


def test_pre_releases_that_were_asked_for_compare_as_versions():
    """2.1rc1 is above 2.0 for somebody who named a pre-release (PEP 440)."""
    found = _copies("2.0", "2.1rc1").find("Sink", SINK, version=">=2.0rc1")
    assert found.version == "2.1rc1"


def test_a_parsed_requirement_is_taken_too():
    """It reads back as it was written."""
    wanted = Requirement.parse("[1.0,1.10)")
    assert _copies(*CASE_77).find("Sink", SINK, version=wanted).version == "1.9"
    assert (str(wanted), str(Requirement())) == ("[1.0,1.10)", "latest")


OWN, ELSEWHERE = Location(Path("/p/own")), Location(Path("/p/elsewhere"))
CONVERTERS = [
    PluginDescriptor(CONVERTER, "shop", "C", "c", "shop", version, location)
    for version, location in (("2.0", ELSEWHERE), ("1.0", OWN), ("1.5", OWN))
]


@pytest.mark.parametrize(
    ("prefer", "text", "found"),
    [
        (OWN, None, "1.5"),
        (OWN, "latest", "2.0"),
        (OWN, "2.0", "2.0"),
        (OWN, ">=1.0", "2.0"),
        (OWN, "1.0", "1.0"),
        (None, None, "2.0"),
        (Location(Path("/p/other")), None, "2.0"),
    ],
    ids=repr,
)
def test_the_own_location_comes_first_unless_a_version_is_asked_for(prefer, text, found):
    """Case 80: apache/kafka#7236; ``latest`` is how to ask for the newest of all."""
    plugins = Plugins([], CONVERTERS, [])
    assert plugins.find("C", CONVERTER, version=text, prefer=prefer).version == found


@pytest.mark.parametrize("text", ["", " "])
def test_an_empty_text_asks_for_what_there_is_not(text):
    """As in Kafka Connect, which shows it as the range ``[,]``."""
    with pytest.raises(NotFoundError, match=r"the version range \[,\]"):
        _copies(*CASE_77).find("Sink", SINK, version=text)


NUMBERS = st.lists(st.integers(0, 3), min_size=1, max_size=3)
VERSIONS = st.builds(lambda parts: ".".join(map(str, parts)), NUMBERS)


@pytest.mark.slow
@settings(max_examples=100)
@given(VERSIONS, VERSIONS, VERSIONS)
def test_ranges_of_releases_mean_what_they_mean_to_maven(low, high, version):
    """Numbers compare one by one; absent ones are zero."""

    def key(text):
        return ([int(part) for part in text.split(".")] + [0, 0])[:3]

    assume(key(low) < key(high))
    wanted = key(low) <= key(version) < key(high)
    assert Requirement.parse(f"[{low},{high})").allows(version) is wanted
    assert Requirement.parse(f"(,{low}),[{high},)").allows(version) is not wanted


@pytest.mark.slow
@settings(max_examples=100)
@given(st.text(alphabet="0123.[](),<>=!~ rcx*", max_size=12), VERSIONS)
def test_any_text_is_a_requirement_or_refused(text, version):
    """Nothing else comes out."""
    with suppress(ConfigError):
        assert Requirement.parse(text).allows(version) in {True, False}
