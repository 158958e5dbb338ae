"""Descriptions of levels and badges for readers who do not write connectors."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from plugwright_conformance.evidence.outcome import Level

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from plugwright_conformance.gallery._entry import GalleryEntry

LEVELS: Final[Mapping[Level, str]] = MappingProxyType(
    {
        Level.C1: "A worker finds the connector without running its code. Its settings have "
        "types and descriptions, and wrong settings are refused.",
        Level.C2: "The connector follows Kafka Connect's contract call by call. Values of the "
        "types that it declares arrive unchanged; it starts, pauses and stops when asked to.",
        Level.C3: "Every record arrives. After errors and restarts nothing is lost, and nothing is "
        "repeated beyond what the connector promises.",
        Level.C4: "The same holds while workers are killed, Spark is stopped, and Kafka cannot be "
        "reached for a minute.",
        Level.C5: "Each record takes effect exactly once, under these faults too.",
    }
)
"""What each level proves, in addition to those before it."""

BADGES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "DLQ": "Records that it cannot handle go to a dead-letter queue, once; all others arrive.",
        "DOCS": "Every setting is documented.",
        "EVOL": "Records may change their structure while it runs.",
        "MEASURED": "Its speed was measured.",
        "ORDERED": "The order of records is kept.",
        "PARALLEL": "Several tasks share the work without loss or repetition.",
        "SCHEMALESS": "It takes records without a schema.",
        "SECURE": "The security checks that apply to it passed.",
        "SPARK": "It runs on Spark as Spark requires it.",
        "UPSERT": "A repeated record replaces the one before.",
    }
)
"""What each badge proves."""


def proved(entry: GalleryEntry) -> Sequence[tuple[str, str]]:
    """Level by level, then badge by badge: a heading and a sentence."""
    levels = [
        (f"{level.name} {level.title}", LEVELS[level])
        for level in Level
        if level.value <= entry.level.value
    ]
    return [*levels, *((name, BADGES[name]) for name in entry.predicate.badges if name in BADGES)]


def not_proved(entry: GalleryEntry) -> Sequence[str]:
    """What a certificate does not prove, one sentence each."""
    predicate = entry.predicate
    counted = (
        (predicate.failed, "did not pass; the level does not require them"),
        (predicate.error, "could not be completed"),
        (predicate.not_run, "did not run"),
        (predicate.not_applicable, "do not apply to what the connector declares"),
    )
    sentences = [f"{len(ids)} checks {words}." for ids, words in counted if ids]
    sentences += [
        f"{waiver.id} was waived by {waiver.owner} until {waiver.expires[:10]}: {waiver.reason}"
        for waiver in predicate.waivers
    ]
    if entry.level is not Level.C5:
        sentences.append(f"The next level was not reached: {predicate.why_not}.")
    sentences.append(
        "Nothing is stated about other versions of the connector, of Spark or of Kafka, about "
        "other settings than those of the run, or about larger amounts of data."
    )
    return sentences
