"""Checks that declared capabilities are proved, and undeclared ones rejected."""

from __future__ import annotations

import hashlib
from types import MappingProxyType
from typing import TYPE_CHECKING

from plugwright.connector import SourceConnector
from plugwright.errors import ConnectError
from plugwright.schema import SchemaAndValue
from plugwright_conformance.catalogue.capabilities import CAPABILITIES
from plugwright_conformance.catalogue.check import PROOF_OF_CAPABILITIES, Check, Level
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._headers import put_with_headers
from plugwright_conformance.checks.places import Places
from plugwright_conformance.checks.undeclared_types import stored
from plugwright_conformance.checks.value_types import short
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, NotRunError, Outcome
from plugwright_conformance.subject.declaration import read_declarations
from plugwright_conformance.subject.shape import RowShape

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugwright.connector import Connector
    from plugwright_conformance.catalogue.bench import Bench

_PROBE = MappingProxyType({"id": 1, "name": "one"})
"""The fields of a row, or the values of a map."""


@registered
class DeclaredIsProved(Check):
    """Every declared capability is proved by a check of this run."""

    id = PROOF_OF_CAPABILITIES
    revision = 2
    level = Level.C2
    after = "CON-CAP-02"
    title = "Every declared capability was proved by at least one executed, passing check"
    why = "Users choose plugins by capabilities; an untested one may not exist."
    mend = "Remove the capability from conformance.toml, or make the check that proves it pass."
    origin = "FAU; CSI#565; NEW"
    in_turn = True
    budget_s = 36_000.0  # it waits for other checks, each of which has a budget of its own

    def run(self, bench: Bench) -> Evidence:
        """Join the declaration with the results of this run."""
        declared = bench.subject.declaration
        names = [name for name in declared.capabilities if declared.claims(name)]
        if "delivery" not in names:
            names.append("delivery")
        observed, waiting = 0, []
        for name in names:
            if name not in CAPABILITIES:
                raise CheckFailedError(
                    expected=f"capabilities among {', '.join(CAPABILITIES)}", observed=name
                )
            count, not_run = self._proved(bench, name)
            observed += count
            waiting += not_run
        if waiting:
            raise NotRunError(f"not run, though required as proof: {', '.join(waiting)}")
        return Evidence(observed, figures={"capabilities": len(names)})

    @staticmethod
    def _proved(bench: Bench, name: str) -> tuple[int, list[str]]:
        """Observations of the first proof, or what has not run."""
        capability = CAPABILITIES[name]
        value = bench.subject.declaration.capabilities.get(name, "at-least-once")
        ids = capability.proofs_for(bench.subject)
        results = []
        for check in ids:  # one is enough, and others may take long
            result = bench.outcome_of(check)
            if result is None:
                continue
            if result.outcome is Outcome.PASS and result.observations:
                return result.observations, []
            results.append(result)
        if any(result.outcome is Outcome.NOT_RUN for result in results):
            # Live proofs are must-checks of a higher level, which is not reached without them.
            live = all(result.engine for result in results)
            return 0, [] if live else [f"{name} ({results[0].id})"]
        ended = ", ".join(f"{r.id} {r.outcome.value}" for r in results) or "no check of this suite"
        raise CheckFailedError(
            expected=f"a passing check for {name} = {value}",
            observed=ended,
            likely="the capability is declared, but was not observed",
        )


@registered
class UndeclaredIsRefused(Check):
    """The plugin rejects what it does not declare."""

    id = "CON-CAP-02"
    revision = 4
    level = Level.C2
    title = "Every undeclared capability is rejected cleanly"
    why = "Values that are dropped silently are lost."
    mend = "Raise a DataError for values that cannot be stored, or declare the capability."
    origin = "SQLA (fails_if); NEW"

    def run(self, bench: Bench) -> Evidence:
        """Ask for each capability that is not declared; expect an error and no effect."""
        return self._sink(bench) if bench.subject.kind == "sink" else self._source(bench)

    def _sink(self, bench: Bench) -> Evidence:
        declaration, probes, places = (
            bench.subject.declaration,
            0,
            Places("probes", "refused", counted=False),
        )
        if not declaration.claims("schemaless"):
            with places.at("schemaless", "put()"):
                self._must_refuse(bench, "schemaless", SchemaAndValue(None, dict(_PROBE)))
            probes += 1
        if not declaration.claims("fields"):
            shape = RowShape.parse({"id": "int64", "name": "string"})
            schema = shape.schema()
            struct = SchemaAndValue(schema, shape.struct(schema, _PROBE))
            with places.at("fields", "put()"):
                self._must_refuse(bench, "fields", struct)
            probes += 1
        if not declaration.claims("headers"):
            with places.at("headers", "put()"):
                self._must_not_mix_headers(bench)
            probes += 1
        return Evidence(max(probes, 1), figures={"probes": probes}, cells=places.cells())

    @staticmethod
    def _must_refuse(bench: Bench, name: str, value: SchemaAndValue) -> None:
        """Object to a value that is neither refused nor stored as it is."""
        found = stored(bench, value)
        if found.is_refused or found.is_kept:
            return
        raise CheckFailedError(
            expected=f"a Connect error and an unchanged endpoint, or the value as it is: {name} "
            "is not declared",
            observed=str(found),
            scenario=f"put() of {value.value!r}",
            likely="the value is dropped, or converted to text",
        )

    @staticmethod
    def _must_not_mix_headers(bench: Bench) -> None:
        """A record with headers is refused, or stored like one without."""
        values, refused = bench.ledger().enter(1), False
        with bench.endpoint() as endpoint:
            try:
                put_with_headers(bench, endpoint, values)
            except ConnectError:
                refused = True
            found = list(endpoint.driver.read_back())
        if found != ([] if refused else values):
            raise CheckFailedError(
                expected="a Connect error and an unchanged endpoint, or the value alone: "
                "headers is not declared",
                observed=f"{'an error' if refused else 'no error'}, stored {short(found)}",
                scenario=f"put() of {short(values)} with headers",
                likely="headers are stored in the value",
            )

    def _source(self, bench: Bench) -> Evidence:
        claims, probes, places = (
            bench.subject.declaration.claims,
            1,
            Places("probes", "refused", counted=False),
        )
        with (
            bench.endpoint() as endpoint,
            bench.started_connector(bench.config(endpoint)) as connector,
        ):
            if not claims("parallel"):
                endpoint.driver.seed(bench.ledger().enter(9))
                with places.at("parallel", "task_configs(4)"):
                    self._must_not_divide(connector)
                probes += 1
            with places.at("alter_offsets", "foreign offsets"):
                self._must_not_accept_offsets(connector, bench.config(endpoint))
        return Evidence(probes, figures={"probes": probes}, cells=places.cells())

    @staticmethod
    def _must_not_divide(connector: Connector) -> None:
        if (found := len(connector.task_configs(4))) != 1:
            raise CheckFailedError(
                expected="one task: parallel is not declared",
                observed=f"{found} tasks",
                scenario="task_configs(4)",
            )

    @staticmethod
    def _must_not_accept_offsets(connector: object, config: Mapping[str, str]) -> None:
        """Offsets that no source has ever written."""
        assert isinstance(connector, SourceConnector)  # noqa: S101  # checks of sources only
        try:
            accepted = connector.alter_offsets(config, [({"strange": 7}, {"stranger": "x"})])
        except ConnectError:
            return
        if accepted:
            raise CheckFailedError(
                expected="False or a Connect error",
                observed="alter_offsets() accepted offsets of another connector",
            )


@registered
class DeclarationStaysAsShipped(Check):
    """The declaration is a static file of the artifact."""

    id = "CON-CAP-03"
    level = Level.C2
    title = "The declaration is read from the installed artifact and does not change during the run"
    why = "A declaration computed at run time could claim whatever happens to pass."
    mend = "Ship conformance.toml as a static file."
    origin = "NEW"

    def run(self, bench: Bench) -> Evidence:
        """Read it again from the artifact; compare digests."""
        subject = bench.subject
        bench.plugin_class()
        now = read_declarations(subject.descriptor)[0]
        if now.digest != subject.declaration.digest:
            raise CheckFailedError(
                expected=f"digest {subject.declaration.digest[:12]}, as at the beginning",
                observed=f"digest {now.digest[:12]}",
                scenario="after the plugin was imported and tested",
                likely="the package writes its own declaration",
            )
        shipped = subject.root / subject.descriptor.module.partition(".")[0] / "conformance.toml"
        if hashlib.sha256(shipped.read_bytes()).hexdigest() != now.digest:
            raise CheckFailedError("the file in the artifact", "another file")
        return Evidence(2)
