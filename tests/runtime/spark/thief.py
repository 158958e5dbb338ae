"""A stranger who speaks the protocol that Spark's executors fetch blocks from one another by.

``org.apache.spark.network.protocol`` and ``…network.shuffle.protocol``: a length, a kind, a body;
all numbers are big-endian.
"""

from __future__ import annotations

import socket
import stat
import struct
from pathlib import Path

__all__ = ["answers", "listening", "open_to_strangers", "socket_files", "stolen_block"]

_CHUNK_REQUEST, _CHUNK, _RPC_REQUEST, _RPC_ANSWER, _RPC_FAILURE = 0, 1, 3, 4, 5
_OPEN_BLOCKS, _STREAM = 0, 3
_ANSWER_S = 1.0


def socket_files(process: int) -> set[Path]:
    """The files of the Unix domain sockets that a process has open."""
    links = _links(process)
    lines = [line.split() for line in Path("/proc/net/unix").read_text("utf-8").splitlines()[1:]]
    return {
        Path(line[7])
        for line in lines
        if len(line) > 7 and line[7].startswith("/") and f"socket:[{line[6]}]" in links
    }


def open_to_strangers(file: Path) -> bool:
    """Whether another user may write to a file, as the modes on its whole path say.

    No process writes to one that is gone.
    """
    try:
        entered = all(each.stat().st_mode & stat.S_IXOTH for each in file.parents)
        return entered and bool(file.stat().st_mode & stat.S_IWOTH)
    except FileNotFoundError:
        return False


def listening(process: int) -> list[int]:
    """The ports that a process listens on."""
    links = _links(process)
    lines = [
        line.split()
        for table in ("tcp", "tcp6")
        for line in Path(f"/proc/net/{table}").read_text("ascii").splitlines()[1:]
    ]
    mine = [line for line in lines if line[3] == "0A" and f"socket:[{line[9]}]" in links]
    return sorted(int(line[1].rpartition(":")[2], 16) for line in mine)


def _links(process: int) -> set[str]:
    """What a process has open; nothing if it has ended since it was listed."""
    try:
        return {_target(each) for each in Path(f"/proc/{process}/fd").iterdir()}
    except FileNotFoundError:
        return set()


def _target(descriptor: Path) -> str:
    """What an open descriptor refers to; nothing if it was closed since it was listed."""
    try:
        return str(descriptor.readlink())
    except FileNotFoundError:
        return ""


def answers(port: int) -> bool:
    """Whether somebody there speaks the protocol, with whatever answer."""
    try:
        with socket.create_connection(("127.0.0.1", port), _ANSWER_S) as line:
            _send(line, _RPC_REQUEST, struct.pack("!qi", 7, 1) + b"\xff")
            return _frame(line)[0] in {_RPC_ANSWER, _RPC_FAILURE}
    except (OSError, EOFError, struct.error):
        return False


def stolen_block(port: int, name: str) -> bytes:
    """A block of whoever listens there; nothing if it is not handed over."""
    try:
        with socket.create_connection(("127.0.0.1", port), _ANSWER_S) as line:
            opening = (
                bytes([_OPEN_BLOCKS]) + _text("app") + _text("exec") + _number(1) + _text(name)
            )
            _send(line, _RPC_REQUEST, struct.pack("!qi", 7, len(opening)) + opening)
            kind, answer = _frame(line)
            if kind != _RPC_ANSWER or answer[12] != _STREAM:
                return b""
            stream, chunks = struct.unpack_from("!qi", answer, 13)
            assert chunks == 1
            _send(line, _CHUNK_REQUEST, struct.pack("!qi", stream, 0))
            kind, found = _frame(line)
            return found[12:] if kind == _CHUNK else b""
    except (ConnectionError, TimeoutError, EOFError):
        return b""


def _text(text: str) -> bytes:
    return _number(len(text)) + text.encode()


def _number(number: int) -> bytes:
    return struct.pack("!i", number)


def _send(line: socket.socket, kind: int, body: bytes) -> None:
    line.sendall(struct.pack("!qB", 9 + len(body), kind) + body)


def _frame(line: socket.socket) -> tuple[int, bytes]:
    size, kind = struct.unpack("!qB", _exactly(line, 9))
    return kind, _exactly(line, size - 9)


def _exactly(line: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        data += line.recv(size - len(data)) or _ended()
    return data


def _ended() -> bytes:
    raise EOFError
