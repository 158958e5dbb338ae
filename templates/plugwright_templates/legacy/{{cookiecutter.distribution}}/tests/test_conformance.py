"""The conformance suite, over the wheel that users would install: each check is a test.

Those that need Spark and Kafka are skipped without ``--conformance-live``.
"""

from __future__ import annotations

from plugwright_conformance import conformance

test_conformance = conformance(".", level="C2")
