"""The capabilities that a plugin may declare, and the checks that prove them."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from plugwright.config import ConfigType

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from plugwright_conformance.catalogue.bench import Bench
    from plugwright_conformance.subject.subject import Subject

__all__ = ["CAPABILITIES", "GATES", "Capability", "password_keys"]


@dataclass(frozen=True, slots=True)
class Capability:
    """One capability that a plugin may declare.

    Attributes:
        name: its key among the declared capabilities.
        proofs: checks that prove it, for each kind of plugin; one that passes is enough.
    """

    name: str
    proofs: Mapping[str, tuple[str, ...]]

    def proofs_for(self, subject: Subject) -> tuple[str, ...]:
        """The checks that may prove what this subject declares."""
        value = subject.declaration.capabilities[self.name]
        found = self.proofs.get(f"{subject.kind}:{value}")
        return self.proofs.get(subject.kind, ()) if found is None else found


def _both(*checks: str) -> Mapping[str, tuple[str, ...]]:
    return MappingProxyType({"source": checks, "sink": checks})


def _of(**proofs: tuple[str, ...]) -> Mapping[str, tuple[str, ...]]:
    return MappingProxyType({name.replace("_", ":", 1): checks for name, checks in proofs.items()})


_EXACTLY_ONCE = ("CON-DLV-05", "CON-DLV-06", "CON-DLV-08")

CAPABILITIES: Mapping[str, Capability] = MappingProxyType(
    {
        capability.name: capability
        for capability in (
            Capability(
                "delivery",
                {
                    **_both("CON-DLV-03", "CON-DLV-01"),
                    "source:exactly-once": _EXACTLY_ONCE,
                    "sink:exactly-once": _EXACTLY_ONCE,
                },
            ),
            Capability("types", _of(source=("SRC-TYP-02",), sink=("SNK-TYP-01",))),
            Capability("fields", _of(source=("SRC-TYP-03",), sink=("SNK-TYP-03",))),
            Capability("excluded_characters", _of(source=("SRC-TYP-02",), sink=("SNK-TYP-01",))),
            Capability("schemaless", _of(sink=("SNK-TYP-04",))),
            Capability("headers", _of(sink=("SNK-TYP-08",))),
            Capability("visible_after_s", _of(source=("SRC-TYP-02",), sink=("SNK-TYP-01",))),
            Capability("max_buffered", _of(sink=("CON-RES-05",))),
            Capability("max_poll_records", _of(source=("CON-RES-06",))),
            Capability("tombstones", _of(sink=("SNK-TYP-06",))),
            Capability(
                "order",
                _of(
                    source=("SRC-OFF-03", "CON-DLV-10"),
                    sink=("SNK-TYP-01", "CON-DLV-10"),
                    source_key=("SRC-OFF-03", "CON-DLV-10"),
                    sink_key=("SNK-TYP-07", "SNK-TYP-18", "CON-DLV-10"),
                ),
            ),
            Capability("keys", _of(sink=("SNK-TYP-01", "SNK-TYP-06"))),
            Capability("resumes", _of(source=("SRC-OFF-04", "CON-DLV-03"))),
            Capability("engines", _both("CON-DLV-01")),
            Capability("parallel", _of(source=("CON-PAR-02",), sink=("CON-PAR-03",))),
            Capability("dlq", _of(sink=("SNK-ERR-04",))),
            Capability("async", _both("SNK-OFF-05", "CON-ERR-04")),
            Capability("network", _both("CON-ERR-03")),
            Capability("upsert", _of(sink=("CON-DLV-11",))),
            Capability("evolution", _both("SRC-SCH-01", "SNK-SCH-01")),
            Capability("snapshot", _of(source=("SRC-OFF-14",))),
            Capability("alter_offsets", _of(source=("SRC-OFF-12",))),
        )
    }
)
"""Every capability, by its name."""


def password_keys(bench: Bench) -> list[str]:
    """The settings that contain secrets, which are also reported to the run."""
    keys = bench.connector().config().keys.values()
    names = [key.name for key in keys if key.type is ConfigType.PASSWORD]
    bench.settings.mark(names)
    return names


def _claims(*names: str) -> Callable[[Bench], bool]:
    return lambda bench: any(map(bench.subject.declaration.claims, names))


def _exactly_once(bench: Bench) -> bool:
    return bench.subject.declaration.exactly_once


def _divides_its_work(bench: Bench) -> bool:
    return bench.subject.kind == "source" and _claims("parallel")(bench)


GATES: Mapping[str, Callable[[Bench], bool]] = MappingProxyType(
    {
        "SCHEMA": _claims("fields"),
        "SCHEMALESS": _claims("schemaless"),
        "EVOL": _claims("evolution"),
        "SNAP": _claims("snapshot"),
        "HDR": _claims("headers"),
        "ORDER": _claims("order"),
        "UPSERT": _claims("upsert"),
        "PART": _divides_its_work,
        "DLQ": _claims("dlq"),
        "ASYNC": _claims("async"),
        "NET": _claims("network"),
        "OFFALT": _claims("alter_offsets"),
        "EOS": _exactly_once,
        "RESUME": lambda bench: not bench.subject.declaration.keeps_own_offsets,
        "SECRET": lambda bench: bool(password_keys(bench)),
    }
)
"""Whether a gate of the catalogue is open for a plugin."""
