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
_COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)$", re.MULTILINE)
_SPAN = re.compile(r"`([^`\n]+)`")


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
    def commands(self) -> list[str]:
        """What is typed in a block of commands."""
        return _COMMAND.findall(self.text) if self.language == "console" else []

    def step(self) -> str:
        """What a reader does with it, for a shell."""
        if self.file:
            folder = Path(self.file).parent
            return f"mkdir -p {folder}\ncat > {self.file} <<'END'\n{self.text}END"
        return "\n".join(self.commands)


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
