"""Check that secret settings have the type PASSWORD."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright.config import ConfigType
from plugwright_conformance.catalogue.check import Check, Level
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, NotApplicableError
from plugwright_conformance.subject.settings_used import SECRET_NAME

if TYPE_CHECKING:
    from plugwright_conformance.catalogue.bench import Bench


@registered
class SecretsAreTyped(Check):
    """Secrets are settings of type PASSWORD."""

    id = "CON-SEC-01"
    level = Level.C1
    waivable = True
    after = "CON-CFG-14"
    title = "Secret settings have the password type"
    why = "Only values of that type are masked in logs, the REST API and error messages."
    mend = "Define the key with ConfigType.PASSWORD, and read its value with .value."

    def run(self, bench: Bench) -> Evidence:
        """Look at the keys whose name ends in a word for a secret."""
        keys = list(bench.connector().config().keys.values())
        if not keys:
            raise NotApplicableError("the definition has no key")
        for key in keys:
            if key.type in {ConfigType.STRING, ConfigType.LIST} and SECRET_NAME.search(key.name):
                raise CheckFailedError(
                    expected=f"type PASSWORD for {key.name}",
                    observed=f"type {key.type.name}",
                    likely="its name indicates a secret",
                )
        return Evidence(len(keys))
