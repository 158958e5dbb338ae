"""A class name means one thing in the whole product."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
PRODUCT = ("runtime", "toolkit", "conformance")


def public_classes():
    """The files that define each public class of a module; mutants imitate other classes."""
    files = (file for name in PRODUCT for file in (ROOT / name).rglob("*.py"))
    found = defaultdict(list)
    for file in files:
        if "mutants" in file.parts:
            continue
        for name in re.findall(r"^class ([A-Za-z]\w*)", file.read_text("utf-8"), re.MULTILINE):
            found[name].append(file.relative_to(ROOT).as_posix())
    return found


def test_no_two_public_classes_share_a_name():
    """A reader who searches for a class finds the one that is meant."""
    shared = {name: files for name, files in public_classes().items() if len(files) > 1}

    assert shared == {}
