"""The protocol constants between the fork server and its caller."""

from __future__ import annotations

READY = b"r"
"""The fork server has imported the runtime."""

END = b"e"
"""Ends the child, or acknowledges the exit code of an ended one."""
