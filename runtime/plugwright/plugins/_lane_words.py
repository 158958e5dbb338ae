"""What the fork server and its caller say to each other."""

from __future__ import annotations

READY = b"r"
"""The fork server has imported the runtime."""

END = b"e"
"""The child is to be ended, or, when it has ended, how it did so has been understood."""
