"""The marked blocks of a README: which they are, and what becomes of them."""

from __future__ import annotations

import json
import socket
import subprocess
import sys

import pytest

from plugwright_conformance.checks.quickstart_blocks import agrees, quickstart_of
from plugwright_conformance.evidence.outcome import CheckFailedError, NotApplicableError, Outcome

README = """\
# shelf

```python
print("not this one")
```

```python quickstart
shelf = ["one"]
```

Then:

```python quickstart
shelf.append("two")
print(shelf)
```

```text quickstart
['one', 'two']
```

```text
neither this
```
"""


def test_only_marked_blocks_belong_to_it():
    """In their order, and the output apart."""
    found = quickstart_of(README)

    assert found.code == ['shelf = ["one"]\n', 'shelf.append("two")\nprint(shelf)\n']
    assert found.output == "['one', 'two']\n"


def test_a_readme_without_one_reads_how_to_have_one():
    """Such as one whose system cannot be had without a network."""
    with pytest.raises(NotApplicableError, match="mark Python code as ```python quickstart"):
        quickstart_of("# shelf\n\n```python\nprint(1)\n```\n")


@pytest.mark.parametrize(
    "readme",
    [
        "```python quickstart\nprint(1)\n```\n",
        "```text quickstart\n1\n```\n",
        "```python quickstart\nprint(1)\n```\n```text quickstart\n...\n```\n",
        "```text quickstart\n1\n```\n```python quickstart\nprint(1)\n```\n",
    ],
    ids=["no-output", "no-code", "anything", "code-after-output"],
)
def test_the_last_block_states_what_is_printed(readme):
    """Else nothing could be compared."""
    with pytest.raises(CheckFailedError) as caught:
        quickstart_of(readme)

    assert "what it prints" in caught.value.expected


@pytest.mark.parametrize(
    ("stated", "printed", "same"),
    [
        ("one\ntwo\n", "one\ntwo\n", True),
        ("one\ntwo\n", "one\ntwo\n\n", True),
        ("at ... o'clock", "at 7 o'clock\n", True),
        ("one\n...\ntwo", "one\nx\ny\ntwo\n", True),
        ("one", "one\ntwo\n", False),
        ("a.c", "abc", False),
        ("one", "", False),
    ],
)
def test_outputs_are_compared(stated, printed, same):
    """Three dots stand for anything, and nothing else does."""
    assert agrees(stated, printed) is same


def _printed(blocks, directory):
    code = (
        "import json, sys\n"
        "from plugwright_conformance.processes.marked_blocks import run_blocks\n"
        "print(json.dumps(run_blocks(sys.argv[1], json.loads(sys.argv[2]))))"
    )
    command = [sys.executable, "-c", code, str(directory), json.dumps(blocks)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_blocks_share_their_names_and_an_empty_directory(tmp_path):
    """What the last one prints is what counts."""
    blocks = ["print('first')\nopen('x', 'w').close()", "import os\nprint(os.listdir())"]

    assert _printed(blocks, tmp_path) == {"printed": "['x']\n"}


def test_a_block_that_fails_is_named(tmp_path):
    """With the line of the README's code."""
    found = _printed(["a = 1", "b = 2\nc = a / 0"], tmp_path)

    assert found == {"failed": 2, "error": "ZeroDivisionError: division by zero, in line 2"}


def test_there_is_no_network(tmp_path):
    """But the machine itself is there, for a server that a quickstart starts."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        port = server.getsockname()[1]
        block = "import socket\nsocket.create_connection(({!r}, {})).close()\nprint('here')"

        near = _printed([block.format("127.0.0.1", port)], tmp_path)
        far = _printed([block.format("192.0.2.1", 9)], tmp_path)

    assert near == {"printed": "here\n"}
    assert far["failed"] == 1
    assert "a quickstart has no network, and this one asks for 192.0.2.1" in far["error"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["file-source", "file-sink", "lake", "singer", "sql"])
def test_bundled_plugins_have_one(name, run):
    """Which runs, as anybody would run it."""
    (result,) = run(name, "CON-DOC-03").results

    assert (result.outcome, result.message) == (Outcome.PASS, "")
