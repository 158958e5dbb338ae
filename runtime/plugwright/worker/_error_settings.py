"""The error-handling settings of a connector (KIP-298)."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ErrorSettings:
    """The ``errors.*`` settings of a connector, times in seconds.

    Attributes:
        tolerate_all: ``errors.tolerance=all``: failing records are skipped.
        tolerance_limit: number of records that may be skipped within the period before the task
            fails; negative for no limit.
        tolerance_period_s: length of that period.
        retry_timeout_s: time during which an operation is retried after a `RetriableError`;
            negative for no limit.
        retry_delay_max_s: maximum delay between two attempts.
        log: whether each failure is logged.
        log_messages: whether the log identifies the record.
        dead_letter_topic: topic for failing sink records; empty for none.
        dead_letter_replication: replication factor of that topic if it is created.
        dead_letter_headers: whether records there carry the cause of the failure.
        hidden: texts that must not appear there.
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
        """Whether failing sink records are reported at all."""
        return self.log or bool(self.dead_letter_topic)
