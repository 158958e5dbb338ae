"""What a connector wants to happen to records that fail (KIP-298)."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ErrorSettings:
    """The ``errors.*`` settings of a connector, times in seconds.

    Attributes:
        tolerate_all: ``errors.tolerance=all``: a failing record is skipped, the task goes on.
        tolerance_limit: how many records may be left out within the period before the task fails;
            negative for any number.
        tolerance_period_s: that period.
        retry_timeout_s: how long one operation is repeated after a `RetriableError`; negative
            means for ever.
        retry_delay_max_s: the longest wait between two attempts.
        log: whether each failure is logged.
        log_messages: whether the log says which record it was.
        dead_letter_topic: where failing sink records go; empty for nowhere.
        dead_letter_replication: replication factor of that topic, if it has to be made.
        dead_letter_headers: whether records there tell why they are there.
        hidden: texts that are not to be told there.
    """

    tolerate_all: bool = False
    retry_timeout_s: float = 0.0
    retry_delay_max_s: float = 60.0
    log: bool = False
    log_messages: bool = False
    dead_letter_topic: str = ""
    dead_letter_replication: int = 3
    dead_letter_headers: bool = False
    tolerance_limit: int = -1
    tolerance_period_s: float = 60.0
    hidden: tuple[str, ...] = field(default=(), repr=False)

    @property
    def reports(self) -> bool:
        """Whether anyone hears of a failing sink record."""
        return self.log or bool(self.dead_letter_topic)
