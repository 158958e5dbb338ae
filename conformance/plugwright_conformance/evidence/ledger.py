"""The ledger: records that entered, compared with those that emerged.

Every value has a unique id and is stored as its digest. Multisets are compared in both directions,
never only the highest ids or the numbers of distinct values.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from random import Random

__all__ = ["Ledger", "Reconciliation"]

_ALPHABETS = (
    "abcdefghijklmnopqrstuvwxyz 0123456789",
    "äöüßéèñøåçÆŒ",
    "данные и порядок",
    "数据完整性验证",
    "\t\r\"'\\,;{}$%",
    "\U0001f9ea\U0001f50c\u200d\u0301\x00\x7f",
)
_ID_DIGITS = 8


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """The comparison of records that entered with those that emerged.

    Attributes:
        entered: how many values entered.
        emerged: how many emerged.
        lost: values that entered and did not emerge, in order.
        duplicated: surplus copies of values that emerged more than once.
        foreign: values that emerged and never entered.
        digest: SHA-256 over the sorted digests of the values that emerged.
    """

    entered: int
    emerged: int
    lost: Sequence[str]
    duplicated: int
    foreign: Sequence[str]
    digest: str

    @property
    def exact(self) -> bool:
        """Whether each value emerged once, and nothing else did."""
        return not (self.lost or self.foreign or self.duplicated)

    def figures(self) -> dict[str, int | float | str]:
        """The five numbers of a scenario, for the report."""
        return {
            "in": self.entered,
            "out": self.emerged,
            "lost": len(self.lost),
            "duplicated": self.duplicated,
            "foreign": len(self.foreign),
        }

    def __str__(self) -> str:
        text = (
            f"in {self.entered}, out {self.emerged}, lost {len(self.lost)}, "
            f"duplicated {self.duplicated}, foreign {len(self.foreign)}"
        )
        if self.lost:
            text += f"; first lost id {self.lost[0][:_ID_DIGITS]}"
        if self.foreign:
            text += f"; first foreign value {str(self.foreign[0])[:40]!r}"
        return text


class Ledger:
    """Generates values with unique ids and records them.

    Args:
        random: the source of the contents; the same seed gives the same values.
        excluded: characters that the endpoint cannot store.
    """

    def __init__(self, random: Random, excluded: Sequence[str] = ()) -> None:
        self._random = random
        self._alphabets = [
            "".join(c for c in alphabet if c not in excluded) for alphabet in _ALPHABETS
        ]
        self._values: list[str] = []

    @property
    def values(self) -> Sequence[str]:
        """All values that entered, in order."""
        return self._values

    def enter(self, count: int) -> list[str]:
        """Generate and record the next values, with mixed lengths and scripts and unique ids."""
        first = len(self._values)
        fresh = [self._value(number) for number in range(first, first + count)]
        self._values += fresh
        return fresh

    def _value(self, number: int) -> str:
        alphabet = self._random.choice(self._alphabets)
        length = int(self._random.expovariate(1 / 40))
        body = "".join(self._random.choices(alphabet, k=min(length, 400))) if alphabet else ""
        return f"{number:0{_ID_DIGITS}x}:{body}"

    def reconcile(self, observed: Iterable[str]) -> Reconciliation:
        """Compare what emerged with what entered, as multisets of digests."""
        seen = list(observed)
        out = Counter(map(_digest, seen))
        book = {_digest(value): value for value in self._values}
        return Reconciliation(
            entered=len(self._values),
            emerged=len(seen),
            lost=[value for digest, value in book.items() if digest not in out],
            duplicated=sum(n - 1 for digest, n in out.items() if digest in book),
            foreign=[value for value in seen if _digest(value) not in book],
            digest=hashlib.sha256(b"".join(sorted(out.elements()))).hexdigest(),
        )


def _digest(value: str) -> bytes:
    return hashlib.sha256(str(value).encode("utf-8", "surrogatepass")).digest()
