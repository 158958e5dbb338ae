"""Checks of the package's README."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from plugwright.config import to_markdown
from plugwright_conformance.catalogue.check import Check
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.checks._packaging import metadata_of
from plugwright_conformance.documentation import settings_table
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, Level

if TYPE_CHECKING:
    from plugwright_conformance.catalogue.bench import Bench

_PURPOSE = 15
_TEMPLATE = re.compile(
    r"\{[{%][^}]*\b(?:cookiecutter|copier)|\bTODO\b|\bFIXME\b|lorem ipsum", re.IGNORECASE
)
_BRACES = re.compile(r"\{\{|\{%")
_CODE = re.compile(r"(?ms)^ *(```+|~~~+).*?^ *\1|^ {4}[^\n]*|(?<!`)(`+)(?!`).*?(?<!`)\2(?!`)")
_ANCHOR = r"(?im)^(?:#+ *|\*\*){name}\b"
_SEMANTICS = re.compile(r"at[- ]least[- ]once|exactly[- ]once|at[- ]most[- ]once", re.IGNORECASE)


def readme_of(bench: Bench) -> str:
    """The README that the package ships."""
    _, metadata = metadata_of(bench)
    text = metadata.get_payload()
    body = text if isinstance(text, str) else ""
    return body.strip() or str(metadata.get("Description", "")).strip()


def left_over(readme: str) -> str:
    """What a template has left in a README; code may be of a language that has braces itself."""
    found = _TEMPLATE.search(readme) or _BRACES.search(_CODE.sub("", readme))
    return found.group() if found else ""


@registered
class ReadmeSaysWhatItIs(Check):
    """The README states purpose, data model and delivery guarantee."""

    id = "CON-DOC-01"
    revision = 2
    level = Level.C1
    waivable = True
    title = "README states purpose, data model and delivery semantics"
    why = "Users decide by these three whether a plugin fits; a wrong claim costs data."
    mend = "Write an introduction, and sections titled Data model and Delivery."
    origin = "G-Doc; CVI"

    def run(self, bench: Bench) -> Evidence:
        """Look for the anchors in METADATA's description; compare the semantics declared."""
        readme = readme_of(bench)
        paragraphs = [
            p for p in re.split(r"\n\s*\n", readme) if not p.lstrip().startswith(("#", "|"))
        ]
        if not paragraphs or len(paragraphs[0]) < _PURPOSE:
            raise CheckFailedError(
                expected="a first paragraph that states the purpose of the plugin",
                observed=repr(paragraphs[0]) if paragraphs else "no text",
            )
        if found := left_over(readme):
            raise CheckFailedError("no template placeholders", f"{found} left over")
        for name in ("Data model", "Delivery"):
            if not re.search(_ANCHOR.format(name=name), readme):
                raise CheckFailedError(f"a section titled {name}", "none in the README")
        self._require_semantics(bench, readme)
        return Evidence(4)

    @staticmethod
    def _require_semantics(bench: Bench, readme: str) -> None:
        """The first semantics that a part on delivery names is the declared one."""
        parts = re.split(_ANCHOR.format(name="Delivery"), readme)[1:]
        claimed = [found.group() for part in parts if (found := _SEMANTICS.search(part))]
        declared = bench.subject.declaration.delivery
        if declared not in {re.sub(" ", "-", claim.lower()) for claim in claimed}:
            raise CheckFailedError(
                expected=f"{declared}, as declared",
                observed=", ".join(claimed) or "no semantics",
                scenario="the README's section on delivery",
            )


@registered
class SettingsAreGenerated(Check):
    """The settings table in the README matches the definition."""

    id = "CON-DOC-02"
    level = Level.C1
    waivable = True
    title = "The configuration reference is generated from the definition"
    why = "A manually maintained table is outdated after the next release."
    mend = (
        "Put the table from plugwright_conformance.documentation.settings_table() into the README."
    )
    origin = "G-Doc"

    def run(self, bench: Bench) -> Evidence:
        """Make the reference again and look for it in the README, byte for byte."""
        definition = bench.connector().config()
        readme = readme_of(bench)
        table = settings_table(definition).strip()  # it may end the README
        if table not in readme and to_markdown(definition).strip() not in readme:
            lines = table.splitlines()
            missing = next((line for line in lines if line not in readme), lines[0])
            raise CheckFailedError(
                expected=missing,
                observed="no such line in the README",
                scenario="the settings table generated from the definition",
            )
        return Evidence(max(len(definition.keys), 1))
