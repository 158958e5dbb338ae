"""The pages of the documentation site, taken apart."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

_BLOCK = re.compile(
    r"^```(?:\{code-block\} )?(?P<language>[a-z]+)\n(?::caption: (?P<file>\S+)\n\n)?"
    r"(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
_SPAN = re.compile(r"`([^`\n]+)`")


@dataclass(frozen=True, slots=True)
class Typed:
    """What is typed, and what is shown to be printed then."""

    text: str
    output: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block.

    Attributes:
        file: where the reader is to put it, or an empty string.
    """

    language: str
    text: str
    file: str

    @property
    def typed(self) -> list[Typed]:
        """What a reader does with it, for a shell, one step after the other."""
        if self.file and self.language == "diff":
            head = f"--- a/{self.file}\n+++ b/{self.file}"
            return [Typed(f"git apply - <<'END'\n{head}\n{self.text}END")]
        if self.file:
            folder = Path(self.file).parent
            return [Typed(f"mkdir -p {folder}\ncat > {self.file} <<'END'\n{self.text}END")]
        shown = self.text if self.language == "console" else ""
        return [Typed(m[1], m[2]) for m in _COMMAND.finditer(shown)]


@dataclass(frozen=True, slots=True)
class Page:
    """One page."""

    name: str
    text: str

    @property
    def blocks(self) -> list[Block]:
        """Its fenced blocks, in order."""
        found = _BLOCK.finditer(self.text)
        return [Block(m["language"], m["text"], m["file"] or "") for m in found]

    @property
    def typed(self) -> list[Typed]:
        """All that its reader does."""
        return [typed for block in self.blocks for typed in block.typed]

    def of(self, *languages: str) -> list[Block]:
        """Its blocks in some languages."""
        return [block for block in self.blocks if block.language in languages]

    @property
    def spans(self) -> list[str]:
        """Its code between words."""
        return _SPAN.findall(_BLOCK.sub("", self.text))

    @property
    def code(self) -> str:
        """Everything on it that is code, one piece a line."""
        return "\n".join([*self.spans, *(block.text for block in self.blocks)])


def pages() -> list[Page]:
    """Every page that is written by hand."""
    files = (f for f in sorted(DOCS.rglob("*.md")) if "generated" not in f.parts)
    return [Page(f.relative_to(DOCS).as_posix(), f.read_text("utf-8")) for f in files]
