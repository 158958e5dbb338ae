"""The tutorial, followed to the letter by somebody who has only the wheel, each output compared.

Every step of the page is typed in one shell, from its first command in an empty directory on: the
virtual environment, the installation by pip, the project. What a command prints is what the page
shows below it, where ``...`` stands for anything, as in doctests, and blanks count as one.

``make test`` has no network. So pip finds what the wheel and its extras need already in place,
linked from the environment of the tests, and complains if anything is missing; the build backend
it gets from a package index (PEP 503) on this machine. Nothing else of that environment is there:
neither the checkout nor what only developers need. The drill leaves all of that to pip and the
index of whoever runs it, and goes on to Spark and Kafka.
"""

from __future__ import annotations

import doctest
import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from packaging.utils import canonicalize_name
from tests.docs.newcomers import linked, needed, networked, offered, outputs_of
from tests.docs.pages import ROOT, Page, Typed, pages
from tests.docs.served import served

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.slow, pytest.mark.timeout(2400)]

(PAGE,) = (page for page in pages() if page.name == "tutorial.md")
LIVE = "\n## Certify on Spark"
WILDCARD = "..."


@dataclass(frozen=True, slots=True)
class Followed:
    """What became of the page: the directory, what was typed, what that printed, and the index."""

    home: Path
    steps: list[Typed]
    outputs: list[str]
    index: str = ""

    @property
    def project(self):
        """The reader's project."""
        return self.home / "orders-sink"

    def run(self, *command):
        """What a command prints in the project."""
        done = subprocess.run(
            command, cwd=self.project, capture_output=True, text=True, check=False
        )
        return done.stdout


def follow(directory, text, index=None, **variables):
    """Follow a text in a directory beneath this one, where nothing is but a wheel.

    Args:
        directory: an empty one.
        text: of the page.
        index: a directory that gets a copy of the wheel, as that of an index.
        variables: of the environment.
    """
    home = directory / "empty"
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", home]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    if index is not None:
        shutil.copytree(home, index / "plugwright", ignore=shutil.ignore_patterns("venv"))
    steps = Page(PAGE.name, text).typed
    outputs = outputs_of([s.text for s in steps], home, directory, **variables)
    return Followed(home, steps, outputs, variables.get("PIP_INDEX_URL", ""))


@pytest.fixture
def followed(tmp_path_factory):
    """All but the live part, without a network, but with an index on this machine."""
    directory = tmp_path_factory.mktemp("tutorial")
    linked(needed("plugwright[all]"), directory / "empty" / "venv")
    index = offered(needed("hatchling", "editables"), directory / "simple")
    with served(directory) as address:
        own = {"PIP_INDEX_URL": f"{address}/simple/", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        yield follow(directory, PAGE.text.partition(LIVE)[0], index, **own)


def agrees(shown, printed):
    """Whether an output is the shown one."""
    lines = (_evened(text) for text in (shown, printed))
    return doctest.OutputChecker().check_output(*lines, doctest.ELLIPSIS)


def _evened(text):
    return "".join(" ".join(line.split()) + "\n" for line in text.splitlines())


def require_agreement(found):
    """Each step prints what is shown.

    Raises:
        AssertionError: with the first that does not, or that is missing because it failed.
    """
    for step, printed in zip(found.steps, found.outputs, strict=False):
        assert agrees(step.output, printed), f"$ {step.text}\n{printed}"
    assert len(found.outputs) == len(found.steps), found.steps[len(found.outputs)].text


def test_the_page_shows_what_it_is_about():
    """Outputs that consist of wildcards would agree with everything."""
    shown = [typed for typed in PAGE.typed if typed.output]
    assert len(shown) >= 12
    assert all(_evened(each.output.replace(WILDCARD, "")).strip() for each in shown)


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("", "", True),
        ("", "a warning\n", False),
        ("8 passed in ...s\n", "8 passed in 0.53s\n", True),
        ("8 passed in ...s\n", "7 passed in 0.53s\n", False),
        ("first\n...\nlast\n", "first\n2\n3\nlast\n", True),
        ("first\n...\nlast\n", "first\n2\n3\nlast\nafter it\n", False),
        ("one two\n", "  one\ttwo  \n", True),
        ("one two\n", "one\ntwo\n", False),
    ],
)
def test_outputs_are_compared(shown, printed, same):
    """A wildcard stands for anything, and only a wildcard does."""
    assert agrees(shown, printed) is same


def require_nothing_but_the_wheel_and_its_needs(followed):
    """No checkout, and nothing that only developers have."""
    pip = [followed.home / "venv/bin/python", "-m", "pip", "list", "--format", "json"]
    listed = {canonicalize_name(each["name"]) for each in json.loads(followed.run(*pip))}
    needs = needed("plugwright[all]", "hatchling").keys()

    assert listed - {"pip", "setuptools"} == {*needs, "plugwright", "orders-sink"}
    where = followed.run(
        followed.home / "venv/bin/python", "-c", "import plugwright; print(plugwright.__file__)"
    )
    assert where.startswith(f"{followed.home}/venv/lib/")


def require_wheel_in_index(followed):
    """By its name, with its extras: pip finds it there, and all that it needs in place."""
    found = followed.run(
        *(followed.home / "venv/bin/python", "-m", "pip", "install", "--dry-run", "--quiet"),
        *("--force-reinstall", "--no-deps", "--index-url", followed.index, "--report", "-"),
        "plugwright[all]",
    )

    (item,) = json.loads(found)["install"]
    assert (item["metadata"]["name"], item["requested_extras"]) == ("plugwright", ["all"])
    assert item["download_info"]["url"].startswith(f"{followed.index}plugwright/plugwright-")


def require_neither_private_key_nor_reports_staged(followed):
    """Though both are there, and everything has been added."""
    assert (followed.project / "certify.key").is_file()
    assert list((followed.project / "out").iterdir())

    staged = followed.run("git", "ls-files").splitlines()
    left = followed.run("git", "status", "--porcelain", "--untracked-files=all")
    refused = followed.run("git", "add", "--dry-run", "certify.key", "out")
    ignored = followed.run("git", "check-ignore", "certify.key", "out/")

    assert {"README.md", "certify.key.pub", "src/orders_sink/sink.py"} <= set(staged)
    assert not [each for each in staged if each == "certify.key" or each.startswith("out/")]
    assert [line for line in left.splitlines() if line.startswith("??")] == []
    assert (refused, ignored) == ("", "certify.key\nout/\n")


def require_readme_of_the_connector(followed):
    """Nothing of the journal that it came with."""
    readme = (followed.project / "README.md").read_text("utf-8")
    assert "journal" not in readme.lower()
    assert "| `file` | string | required | non-empty string | Path of the database;" in readme


def test_an_empty_directory_and_the_wheel_suffice(followed):
    """From there to a certificate that is valid; one test, as following the page takes a minute."""
    require_agreement(followed)
    require_nothing_but_the_wheel_and_its_needs(followed)
    require_wheel_in_index(followed)
    require_neither_private_key_nor_reports_staged(followed)
    require_readme_of_the_connector(followed)


@pytest.mark.drill
@pytest.mark.timeout(3600)
def test_the_tutorial_can_be_followed_with_an_index(tmp_path):
    """Everything fetched, and certified on Spark and Kafka."""
    require_agreement(follow(tmp_path, PAGE.text, **networked()))
