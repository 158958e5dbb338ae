"""The child side of CON-DOC-03: runs the marked blocks of a README in their order."""

from __future__ import annotations

import io
import os
import traceback
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any

from plugwright.processes import refuse_network

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["run_blocks"]


def run_blocks(directory: str, blocks: Sequence[str]) -> dict[str, Any]:
    """Run Python code, block by block in one module, without a network.

    Args:
        directory: the working directory of the code.
        blocks: the code.

    Returns:
        What the last block has printed; or the number of the block that failed, and its error.
    """
    os.chdir(directory)
    refuse_network("a quickstart has no network, and this one asks for {host}", loopback=True)
    module: dict[str, Any] = {"__name__": "__main__"}
    printed = ""
    for number, block in enumerate(blocks, 1):
        with redirect_stdout(io.StringIO()) as output:
            try:
                exec(compile(block, f"block {number}", "exec"), module)  # noqa: S102  # the README's
            except Exception as error:  # noqa: BLE001  # the README's code, reported as it is
                return {"failed": number, "error": _described(error, f"block {number}")}
        printed = output.getvalue()
    return {"printed": printed}


def _described(error: Exception, block: str) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == block]
    return f"{type(error).__name__}: {error}{f', in line {lines[-1]}' if lines else ''}"
