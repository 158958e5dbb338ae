"""The conformance suite: certifies source and sink plugins on Spark against a live Kafka."""

from __future__ import annotations

from plugwright_conformance.subject.suite import ConformanceSuite, conformance

__all__ = ["ConformanceSuite", "conformance"]
