"""Small taps and targets for tests, written as scripts, and what is left of their processes."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

_HEAD = f"""#!{sys.executable} -IS
import json, os, sys
def say(kind, **parts):
    print(json.dumps({{"type": kind, **parts}}), flush=True)
def option(name):
    at = sys.argv.index(name) if name in sys.argv else -1
    return json.load(open(sys.argv[at + 1])) if at > 0 else None
def users(**properties):
    say("SCHEMA", stream="users", schema={{"type": "object", "properties": properties}},
        key_properties=["id"])
def user(number):
    say("RECORD", stream="users", record={{"id": number}})
INTEGER = {{"type": "integer"}}
"""


def write_program(path, body):
    """Make an executable script of a body, which has the helpers of the head."""
    path.write_text(_HEAD + body, encoding="utf-8")
    path.chmod(0o700)
    return path


def context(stored=None):
    """The context of a source task with one stored offset."""
    return SimpleNamespace(offset_storage_reader=SimpleNamespace(offset=lambda partition: stored))


def processes_with(word):
    """Command lines of living processes that have a word, as the system lists them."""
    found = []
    for directory in Path("/proc").iterdir():
        if directory.name.isdigit():
            try:
                line = (directory / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
            if word in line:
                found.append(line)
    return found
