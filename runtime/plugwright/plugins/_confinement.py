"""What the kernel forbids to a process that looks into plugins: Landlock, which needs no privilege.

Whoever scans a plugin path runs the modules that are on it, though nobody has chosen one of them
yet. So these read no home directory, write nowhere but into a directory of their own, and neither
look into other processes nor send signals to them. Linux has it since 5.13, and more of it in each
version (Documentation/userspace-api/landlock.rst); elsewhere the request is declined.
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
    from collections.abc import Iterable, Iterator

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ASK_VERSION, _BENEATH = 1, 1

_EXECUTE, _WRITE, _READ, _READ_DIRECTORY = (1 << bit for bit in range(4))
_CHANGES = sum(1 << bit for bit in range(4, 13))  # making and removing, of every kind
_ADDED = {2: 1 << 13, 3: 1 << 14, 5: 1 << 15}
"""Moving between directories, truncating, controlling devices: by the version that knows of it."""

_OF_FILES = _EXECUTE | _WRITE | _READ | _ADDED[3] | _ADDED[5]
_LOOK = _EXECUTE | _READ | _READ_DIRECTORY
_SCOPES, _SCOPES_SINCE, _NETWORK_SINCE = 0b11, 6, 4  # of abstract sockets and of signals
_PROCESSES = Path("/proc")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")


def confinement() -> int:
    """The version of Landlock that the kernel offers; 0 where it has none."""
    return max(0, system_call(_CREATE_RULESET, None, 0, _ASK_VERSION))


def confine(scratch: str, readable: Iterable[str], home: str = "") -> bool:
    """Forbid this process, which must have one thread only, and all that it starts, what is said.

    Args:
        scratch: the directory that it may write to.
        readable: roots of imports, to be read although they are in a home directory, with what
            links in them lead to.
        home: the home directory; that of the user by default.

    Returns:
        Whether the kernel does so.
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
        everywhere = _all_but(Path(home or _home()).resolve())
        for place in (*everywhere, *_own_processes(), sys.prefix, sys.base_prefix):
            _allow(rules, place, _LOOK)
        for root in readable:
            for place in (root, *_led_to(root)):
                _allow(rules, place, _LOOK)
        for device in _DEVICES:
            _allow(rules, device, _READ | _WRITE | added)
        _allow(rules, scratch, handled)
        return no_new_privileges() and system_call(_RESTRICT_SELF, rules, 0) == 0
    finally:
        os.close(rules)


def _size(version: int) -> int:
    """Bytes of the attributes that a kernel of this version knows."""
    return 24 if version >= _SCOPES_SINCE else 16 if version >= _NETWORK_SINCE else 8


def _home() -> str:
    """The user's home directory, by the system's list: a variable may say anything."""
    try:
        return pwd.getpwuid(os.geteuid()).pw_dir
    except KeyError:
        return os.path.expanduser("~")  # noqa: PTH111  # pathlib raises where nothing is known


def _all_but(closed: Path) -> Iterator[str]:
    """Everything on the machine that is not beneath a directory: rules can only allow."""
    way = [*reversed(closed.parents), closed]
    if len(way) == 1:
        way += [closed / "nowhere"]  # a user whose home is the root directory has none to keep
    for parent, step in pairwise(way):
        with suppress(OSError), os.scandir(parent) as entries:
            for entry in entries:
                path = Path(entry.path)
                if path in {step, _PROCESSES}:
                    continue
                if not (entry.is_symlink() and _meet(path.resolve(), closed)):
                    yield entry.path


def _own_processes() -> Iterator[str]:
    """What the system tells of itself and of this process: root would see all of the others."""
    with suppress(OSError), os.scandir(_PROCESSES) as entries:
        yield from (entry.path for entry in entries if not entry.name.isdigit())


def _meet(one: Path, other: Path) -> bool:
    return one.is_relative_to(other) or other.is_relative_to(one)


def _led_to(root: str) -> Iterator[str]:
    """The directories that links among its entries lead to."""
    with suppress(OSError), os.scandir(root) as entries:
        for link in (entry.path for entry in entries if entry.is_symlink()):
            target = os.path.realpath(link)
            yield target if os.path.isdir(target) else os.path.dirname(target)  # noqa: PTH112, PTH120  # cheap, for each child


def _allow(rules: int, place: str, rights: int) -> None:
    try:
        descriptor = os.open(place, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # not there, so nobody reads it
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            rights &= _OF_FILES
        system_call(_ADD_RULE, rules, _BENEATH, struct.pack("=Qi", rights, descriptor), 0)
    finally:
        os.close(descriptor)
