"""Another machine for executors: namespaces without this one's files and loopback."""

from __future__ import annotations

import subprocess
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from shlex import join, quote
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

__all__ = ["Machine", "joined_machine"]

_NETWORK = "10.213.77"


@dataclass(frozen=True, slots=True)
class Machine:
    """Where Spark's worker and its executors run.

    Attributes:
        host: its address.
        here: the address of this machine, as seen from there.
        hidden: directories that are empty there.
        network: the name of its network namespace, if it has one.
        name: its host name, if it has one of its own; then it also counts its processes itself.
        room: of the directory in which Spark works, as ``mount`` writes sizes, if it is limited.
    """

    host: str = "127.0.0.1"
    here: str = "127.0.0.1"
    hidden: Sequence[Path] = ()
    network: str = ""
    name: str = ""
    room: str = ""

    def command(self, command: Sequence[str], empty: Path, work: Path) -> list[str]:
        """What runs a command there.

        Args:
            command: what to run.
            empty: an empty directory, to hide others by.
            work: the directory in which Spark works.
        """
        words = list(command)
        if self.hidden or self.room:
            empty.mkdir(exist_ok=True)
            steps = [f"mount --bind {quote(str(empty))} {quote(str(d))}" for d in self.hidden]
            if self.room:
                work.mkdir(exist_ok=True)
                steps.append(f"mount -t tmpfs -o size={self.room} tmpfs {quote(str(work))}")
            own = ["--mount", "--propagation", "private"]
            if self.name:
                hosts = empty.with_name("hosts")
                hosts.write_text(f"127.0.0.1 localhost\n{self.host} {self.name}\n", "ascii")
                steps.insert(0, f"hostname {quote(self.name)}")
                steps.append(f"mount --bind {quote(str(hosts))} /etc/hosts")
                own += ["--uts", "--pid", "--fork", "--kill-child", "--mount-proc"]
            script = " && ".join([*steps, f"exec {join(words)}"])
            words = ["unshare", *own, "sh", "-c", script]
        return ["ip", "netns", "exec", self.network, *words] if self.network else words


@contextmanager
def joined_machine(hidden: Sequence[Path], host_name: str = "") -> Iterator[Machine]:
    """A machine that only a pair of virtual interfaces joins to this one; needs root.

    Args:
        hidden: directories that are empty there.
        host_name: its name, if it is to have one and processes of its own.
    """
    name, near, far = "plugwright-far", "pw-near", "pw-far"
    here, there = f"{_NETWORK}.1", f"{_NETWORK}.2"
    with ExitStack() as stack:
        _ip("netns", "add", name)
        stack.callback(_ip, "netns", "delete", name)
        _ip("link", "add", near, "type", "veth", "peer", "name", far, "netns", name)
        _ip("address", "add", f"{here}/30", "dev", near)
        _ip("link", "set", near, "up")
        _ip("-n", name, "address", "add", f"{there}/30", "dev", far)
        for interface in (far, "lo"):
            _ip("-n", name, "link", "set", interface, "up")
        yield Machine(there, here, tuple(hidden), name, host_name)


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)  # noqa: S607  # Debian's iproute2
