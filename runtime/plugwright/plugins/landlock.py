"""Restricts a process that inspects plugins with Landlock, which needs no privilege.

Scanning a plugin path runs the modules on it before anyone has chosen them. The restricted process
cannot read home directories, write outside of its own directory, inspect
other processes or signal them. Linux supports this since 5.13, and more of it in each
version (Documentation/userspace-api/landlock.rst); elsewhere the call reports failure.
"""

from __future__ import annotations

import os
import pwd
import stat
import struct
import sys
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from plugwright.processes import no_new_privileges, system_call

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ASK_VERSION, _BENEATH = 1, 1

_EXECUTE, _WRITE, _READ, _READ_DIRECTORY = (1 << bit for bit in range(4))
_CHANGES = sum(1 << bit for bit in range(4, 13))  # creation and removal, of every kind
_ADDED = {2: 1 << 13, 3: 1 << 14, 5: 1 << 15}
"""Further rights (refer, truncate, device ioctl), by the version that introduced each."""

_OF_FILES = _EXECUTE | _WRITE | _READ | _ADDED[3] | _ADDED[5]
_LOOK = _EXECUTE | _READ | _READ_DIRECTORY
_SCOPES, _SCOPES_SINCE, _NETWORK_SINCE = 0b11, 6, 4  # of abstract sockets and of signals
_PROCESSES = Path("/proc")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")


def confinement() -> int:
    """The version of Landlock that the kernel supports; 0 for none."""
    return max(0, system_call(_CREATE_RULESET, None, 0, _ASK_VERSION))


def readable_places(roots: Iterable[str], home: str = "") -> Sequence[str]:
    """The directories that every confined process may read, computed once for all of them.

    Args:
        roots: import roots that stay readable even inside a home directory, including the targets
            of links in them.
        home: the home directory; by default that of the user.
    """
    everywhere = _all_but(Path(home or _home()).resolve())
    own = (place for root in roots for place in _with_links(root))
    return tuple(dict.fromkeys((*everywhere, *_own_processes(), sys.prefix, sys.base_prefix, *own)))


def confine(scratch: str, location: str, readable: Iterable[str]) -> bool:
    """Restrict this process, which must be single-threaded, and all that it starts.

    Args:
        scratch: the directory that it may write to.
        location: an import root that stays readable even inside a home directory, including the
            targets of links in it.
        readable: the other directories that it may read, from `readable_places`.

    Returns:
        Whether the kernel applies the restrictions.
    """
    version = confinement()
    if not version:
        return False
    added = sum(bit for since, bit in _ADDED.items() if since <= version)
    handled = _LOOK | _WRITE | _CHANGES | added
    attributes = struct.pack("=QQQ", handled, 0, _SCOPES)[: _size(version)]
    rules = system_call(_CREATE_RULESET, attributes, len(attributes), 0)
    if rules < 0:
        return False
    try:
        for place in (*readable, *_with_links(location)):
            _allow(rules, place, _LOOK)
        for device in _DEVICES:
            _allow(rules, device, _READ | _WRITE | added)
        _allow(rules, scratch, handled)
        return no_new_privileges() and system_call(_RESTRICT_SELF, rules, 0) == 0
    finally:
        os.close(rules)


def _size(version: int) -> int:
    """Size in bytes of the attributes that a kernel of this version knows."""
    return 24 if version >= _SCOPES_SINCE else 16 if version >= _NETWORK_SINCE else 8


def _home() -> str:
    """The user's home directory from the password database; a variable may be wrong."""
    try:
        return pwd.getpwuid(os.geteuid()).pw_dir
    except KeyError:
        return os.path.expanduser("~")  # noqa: PTH111  # pathlib raises where nothing is known


def _all_but(closed: Path) -> Iterator[str]:
    """Everything on the machine outside of a directory, because rules can only allow."""
    way = [*reversed(closed.parents), closed]
    if len(way) == 1:
        way += [closed / "nowhere"]  # a user whose home is the root directory has none to protect
    for parent, step in pairwise(way):
        with suppress(OSError), os.scandir(parent) as entries:
            for entry in entries:
                path = Path(entry.path)
                if path in {step, _PROCESSES}:
                    continue
                if not (entry.is_symlink() and _meet(path.resolve(), closed)):
                    yield entry.path


def _own_processes() -> Iterator[str]:
    """The parts of /proc about the system and this process: root could read all other processes."""
    with suppress(OSError), os.scandir(_PROCESSES) as entries:
        yield from (entry.path for entry in entries if not entry.name.isdigit())


def _meet(one: Path, other: Path) -> bool:
    return one.is_relative_to(other) or other.is_relative_to(one)


def _with_links(root: str) -> Iterator[str]:
    """A root, and the directories that its entries link to."""
    yield root
    with suppress(OSError), os.scandir(root) as entries:
        for link in (entry.path for entry in entries if entry.is_symlink()):
            target = os.path.realpath(link)
            yield target if os.path.isdir(target) else os.path.dirname(target)  # noqa: PTH112, PTH120  # cheap, for each child


def _allow(rules: int, place: str, rights: int) -> None:
    try:
        descriptor = os.open(place, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # does not exist, so needs no rule
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            rights &= _OF_FILES
        system_call(_ADD_RULE, rules, _BENEATH, struct.pack("=Qi", rights, descriptor), 0)
    finally:
        os.close(descriptor)
