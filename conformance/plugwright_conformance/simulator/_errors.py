"""The errors of the simulated Kafka, by their protocol names."""

from __future__ import annotations


class Refusal(Exception):  # noqa: N818  # an answer of a broker, not always a failure of ours
    """An error response of the broker.

    Args:
        name: the error of Kafka's protocol, such as ``INVALID_PRODUCER_EPOCH``.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name

    def __reduce__(self) -> tuple[type[Refusal], tuple[str]]:
        return type(self), (self.name,)
