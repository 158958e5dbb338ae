"""A wheel is compared with its RECORD before anything of it is hashed anew."""

from __future__ import annotations

import hashlib
import random

import pytest
from tests.toolkit.archives import samples
from tests.toolkit.archives.samples import FILES, METADATA, RECORD, WHEEL, row

from plugwright.errors import render
from plugwright_toolkit.archives import (
    ArtifactError,
    open_artifact,
    require_record,
    verify_record,
)

INIT = "shop/__init__.py"


def _problems(tmp_path, lines, name=WHEEL, extra=()):
    members = [*FILES.items(), *extra, (RECORD, lines)]
    return list(verify_record(open_artifact(samples.pack(tmp_path / name, members))))


def test_a_right_wheel_has_no_problems(tmp_path):
    """Signature files and directories need not be listed."""
    extra = [("shop/", b""), (f"{METADATA}/RECORD.jws", b"s"), (f"{METADATA}/RECORD.p7s", b"s")]
    opened = open_artifact(samples.wheel(tmp_path, extra=extra))

    require_record(opened)

    assert list(verify_record(opened)) == []


@pytest.mark.parametrize("algorithm", ["sha256", "sha384", "sha512"])
def test_long_hashes_are_verified(tmp_path, algorithm):
    """Whichever of them RECORD chose."""
    lines = "".join(row(name, data, algorithm) for name, data in FILES.items())
    wrong = lines.replace(f"{algorithm}=", f"{algorithm}=A", 1)

    assert _problems(tmp_path, lines.encode()) == []
    assert _problems(tmp_path, wrong.encode()) == [
        f"{INIT} has another {algorithm} hash than listed"
    ]


LINES = samples.record(FILES).decode()
FIRST = row(INIT, FILES[INIT])


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        (
            LINES.replace(FIRST, row(INIT, b"x" * 360)),
            f"{INIT} has another sha256 hash than listed",
        ),
        (LINES.replace(FIRST, ""), f"{INIT} is not listed"),
        (LINES + row("gone.py", b""), "gone.py is listed and missing"),
        (LINES + row("../gone.py", b""), "../gone.py is listed and missing"),
        (LINES + FIRST, f"{INIT} is listed twice"),
        (LINES.replace(",360", ",361"), f"{INIT} has 360 bytes, listed are 361"),
        (LINES.replace(FIRST, f"{INIT},,\n"), f"{INIT} has no hash, expected sha256 or longer"),
        (
            LINES.replace(FIRST, row(INIT, FILES[INIT], "md5")),
            f"{INIT} has md5 hash, expected sha256 or longer",
        ),
        (
            LINES.replace(FIRST, row(INIT, FILES[INIT], "sha1")),
            f"{INIT} has sha1 hash, expected sha256 or longer",
        ),
        (LINES + "a,b\n", "line 6 of RECORD is none: 'a,b'"),
        (LINES + "a,b,c\n", "line 6 of RECORD is none: 'a,b,c'"),
        (LINES + '"a,,\n', "line 6 of RECORD is none: '\"a,,'"),
    ],
    ids=[
        "changed",
        "unlisted",
        "missing",
        "outside",
        "twice",
        "size",
        "no hash",
        "md5",
        "sha1",
        "columns",
        "no hash of any form",
        "no end",
    ],
)
def test_a_wheel_that_is_not_as_listed_has_a_problem(tmp_path, lines, problem):
    """Case 104; one sentence names the file and what is wrong with it."""
    assert _problems(tmp_path, lines.encode()) == [problem]


@pytest.mark.parametrize("wrong", ["=,360", "-,360"], ids=["padding", "longer"])
def test_a_hash_is_spelt_in_one_way(tmp_path, wrong):
    """In base64 without padding (binary distribution format)."""
    lines = LINES.replace(",360", wrong)

    assert _problems(tmp_path, lines.encode()) == [f"{INIT} has another sha256 hash than listed"]


def test_a_size_may_be_left_out(tmp_path):
    """The hash says more."""
    assert _problems(tmp_path, LINES.replace(",360", ",").encode()) == []


def test_an_empty_line_is_nothing(tmp_path):
    """Some tools end RECORD with one."""
    assert _problems(tmp_path, LINES.encode() + b"\n") == []


def test_a_quoted_path_is_read(tmp_path):
    """RECORD is CSV with default settings."""
    extra = [("a,b.py", b"")]
    lines = LINES + row('"a,b.py"', b"")

    assert _problems(tmp_path, lines.encode(), extra=extra) == []


def test_a_wheel_without_record_has_a_problem(tmp_path):
    """Nothing says what it should hold."""
    opened = open_artifact(samples.pack(tmp_path / WHEEL, FILES.items()))

    assert list(verify_record(opened)) == [f"{RECORD} is missing"]


@pytest.mark.parametrize("name", ["shop.zip", "shop.pyz", "shop.egg"])
def test_elsewhere_record_comes_from_an_installation(tmp_path, name):
    """It leaves out hashes and files of others, and lists files outside."""
    extra = [("__main__.py", b"")]
    lines = LINES.replace(FIRST, f"{INIT},,\n") + row("../../bin/shop", b"")

    assert _problems(tmp_path, lines.encode(), name=name, extra=extra) == []
    assert list(verify_record(open_artifact(samples.pack(tmp_path / name, FILES.items())))) == []


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        (LINES.replace(",360", ",361"), f"{INIT} has 360 bytes, listed are 361"),
        (LINES + row("gone.py", b""), "gone.py is listed and missing"),
        (
            LINES.replace(FIRST, row(INIT, FILES[INIT], "md5")),
            f"{INIT} has md5 hash, expected sha256 or longer",
        ),
    ],
    ids=["changed", "missing", "md5"],
)
def test_what_it_lists_there_must_be_right(tmp_path, lines, problem):
    """A changed file is not covered up in a zip archive either."""
    assert _problems(tmp_path, lines.encode(), name="shop.zip") == [problem]


def test_a_hash_of_any_length_is_a_problem(tmp_path):
    """It proves nothing, and is not computed."""
    lines = LINES.replace(FIRST, f"{INIT},shake_128=x,360\n")

    assert _problems(tmp_path, lines.encode(), name="shop.zip") == [
        f"{INIT} has shake_128 hash, expected sha256 or longer"
    ]


@pytest.mark.slow
def test_a_large_wheel_is_hashed_by_two_threads(tmp_path):
    """And its problems come sorted, whichever thread finds them first."""
    chance = random.Random(1)  # noqa: S311  # the same bytes in every run
    files = FILES | {f"shop/{n}.bin": chance.randbytes(150_000) for n in range(8)}
    lines = samples.record(files).decode()
    for n in (1, 2):
        digest = row(f"shop/{n}.bin", files[f"shop/{n}.bin"])
        lines = lines.replace(digest, row(f"shop/{n}.bin", b"x" * 150_000))
    path = samples.pack(tmp_path / WHEEL, [*files.items(), (RECORD, lines.encode())])

    assert list(verify_record(open_artifact(path))) == [
        "shop/1.bin has another sha256 hash than listed",
        "shop/2.bin has another sha256 hash than listed",
    ]


def test_a_large_wheel_that_is_right_passes(tmp_path):
    """Every file of it, by the hashes of hashlib."""
    data = hashlib.sha256(b"seed").digest() * 40_000
    files = FILES | {"shop/a.bin": data[:700_000], "shop/b.bin": data[7:700_007]}
    path = samples.pack(
        tmp_path / WHEEL,
        [
            *((samples.info(name, method=0), data) for name, data in files.items()),
            (RECORD, samples.record(files)),
        ],
    )

    assert list(verify_record(open_artifact(path))) == []


def test_a_mismatch_is_refused_with_the_first_problems(tmp_path):
    """The text that users meet."""
    lines = LINES + "".join(row(f"{n}.py", b"") for n in range(5))
    path = samples.pack(tmp_path / WHEEL, [*FILES.items(), (RECORD, lines.encode())])

    with pytest.raises(ArtifactError) as caught:
        require_record(open_artifact(path))

    assert render(caught.value).replace(f"{tmp_path}/", "") == (
        f"archive.record-mismatch: {WHEEL} is not what its RECORD lists: "
        "0.py is listed and missing; 1.py is listed and missing; "
        "2.py is listed and missing and 2 more\n"
        "  → it was changed after it was built; take it again from where it was published"
    )
    assert len(caught.value.facts["problems"]) == 5
