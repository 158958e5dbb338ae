"""Our herder and API answer as Kafka Connect did, or the table of deviations says why not."""

from __future__ import annotations

import logging
import sys
from contextlib import ExitStack

import pytest
from tests.oracle.worker.deviations import without_argued
from tests.oracle.worker.recording import chapters_of
from tests.oracle.worker.replay import replayed
from tests.oracle.worker.steps import DISTRIBUTED, STANDALONE
from tests.oracle.worker.workers import our_herder

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]

_REQUESTS = ("methods", "strange-methods", "paths", "media", "bodies")
_VALIDATIONS = (
    "plugin-listing",
    "plugin-settings",
    "validate-connectors",
    "validate-common",
    "validate-types",
    "validate-converters",
    "validate-transformations",
    "validate-predicates",
    "validate-versions",
)
_STATES = ("creating", "states", "initial-state", "loggers", "names")
_DRAWN = (
    "drawn-states",
    "drawn-bodies",
    "drawn-headers",
    "drawn-paths",
    "drawn-loggers",
    "drawn-walks",
    "drawn-offsets",
    "drawn-settings",
    "drawn-stages",
    "drawn-definitions",
    "odd-requests",
)
_FURTHER = (
    "further-media",
    "further-methods",
    "further-expand",
    "further-offsets",
    "further-loggers",
    "further-definitions",
    "further-validations",
)
_THIRD = (
    "third-bodies",
    "third-headers",
    "third-targets",
    "third-loggers",
    "third-plugins",
    "third-refused",
    "third-patched",
    "third-together",
    "third-details",
)
_THIRD_VALIDATIONS = ("third-settings",)
CONVERSATIONS = {
    "alone": (STANDALONE, (*_REQUESTS, *_VALIDATIONS, *_STATES, "internal")),
    "member": (DISTRIBUTED, (*_REQUESTS, *_STATES)),
    "transacting": (DISTRIBUTED, _VALIDATIONS),
    "drawn": (STANDALONE, _DRAWN),
    "further": (STANDALONE, _FURTHER),
    "further-member": (DISTRIBUTED, _FURTHER),
    "third": (STANDALONE, (*_THIRD, *_THIRD_VALIDATIONS)),
    "third-member": (DISTRIBUTED, _THIRD),
    "third-transacting": (DISTRIBUTED, _THIRD_VALIDATIONS),
    "fourth": (STANDALONE, ("fourth-details",)),
    "fourth-transacting": (DISTRIBUTED, ("fourth-details",)),
}
"""Mode and chapters of each that was recorded with a worker of its own."""
CHAPTERS = [
    (name, mode, chapter)
    for name, (mode, chosen) in CONVERSATIONS.items()
    for chapter in chapters_of(mode)
    if chapter in chosen
]
"""In the order of the recording: what a chapter leaves behind, the next ones see."""
PLUGINS = {"plugwright_file_sink", "plugwright_file_source", "trial", "versioned"}


def _taken_from_memory():
    """The modules of plugins that this process has imported, which it forgets."""
    names = [name for name in sys.modules if name.partition(".")[0] in PLUGINS]
    return {name: sys.modules.pop(name) for name in names}


@pytest.fixture(scope="module", autouse=True)
def _copies():
    """The conversation has copies of the plugins; other tests may have imported the originals."""
    originals = _taken_from_memory()
    yield
    _taken_from_memory()
    sys.modules.update(originals)


@pytest.fixture(scope="module", autouse=True)
def _levels():
    """The herder lists the loggers that have a level; other tests may have given them one."""
    named = [each for each in logging.root.manager.loggerDict.values() if hasattr(each, "level")]
    levels = [(each, each.level) for each in named if each.level]
    for logger, _ in levels:
        logger.setLevel(logging.NOTSET)
    yield
    for logger, level in levels:
        logger.setLevel(level)


@pytest.fixture(scope="module")
def stage_of(_copies, _levels):
    """Opens the herder of a conversation, over tasks that seem to run, until the next begins."""
    opened = {}
    with ExitStack() as stack:

        def stage_of(conversation):
            if conversation not in opened:
                stack.pop_all().close()
                opened.clear()
                mode, _ = CONVERSATIONS[conversation]
                opened[conversation] = stack.enter_context(
                    our_herder(mode, transacts="transacting" in conversation)
                )
            return opened[conversation]

        yield stage_of


@pytest.mark.parametrize(("conversation", "mode", "chapter"), CHAPTERS)
def test_every_answer_is_as_java_gave_it_or_is_argued(stage_of, conversation, mode, chapter):
    """Status, headers, fields, types, counts and order; free wording apart."""
    new = {}
    for line, _, every in replayed(stage_of(conversation), mode, chapter):
        left = without_argued(mode, line, every)
        if line.answer is not None and left:
            new[line.id] = [str(each) for each in left]

    assert new == {}
