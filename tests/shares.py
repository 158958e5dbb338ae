"""With ``pytest -n N --dist each``, each worker collects and runs its own share of the files.

Workers that take tests from each other must all collect all of them. Where most tests take a
millisecond, that is half of the work.
"""

from __future__ import annotations

import zlib

import pytest

__all__ = [
    "is_in_another_share",
    "pytest_configure_node",
    "pytest_xdist_make_scheduler",
    "share_of",
]

_SHARE = "share"


def share_of(path, count):
    """The number of the share that a file is in, the same on every machine."""
    return zlib.crc32(path.encode()) % count


def is_in_another_share(path, config):
    """Whether another worker of this run has a test file."""
    number, count = getattr(config, "workerinput", {}).get(_SHARE, (0, 1))
    return share_of(path.relative_to(config.rootpath).as_posix(), count) != number


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node):
    """Give a worker its share; one that replaces a crashed worker gets the share of that."""
    if node.config.getvalue("dist") == "each":
        specs = node.nodemanager.specs  # equal to each other
        number = next(n for n, spec in enumerate(specs) if spec is node.gateway.spec)
        node.workerinput[_SHARE] = (number, len(specs))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """The scheduler of ``each``, which counts the tests of all shares."""
    if config.getvalue("dist") != "each":
        return None
    from xdist.scheduler import EachScheduling  # noqa: PLC0415  # there only if xdist is

    class ShareScheduling(EachScheduling):
        def schedule(self):
            collected = sum(map(len, self.node2collection.values()))
            config.pluginmanager.get_plugin("session").testscollected = collected
            super().schedule()

    return ShareScheduling(config, log)
