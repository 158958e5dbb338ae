"""Statistics over recent samples, like Kafka's ``SampledStat``."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class SampleWindow:
    """The time window of recent statistics.

    Attributes:
        samples: the number of samples, ``metrics.num.samples``.
        seconds: the duration of a sample, ``metrics.sample.window.ms``.
    """

    samples: int = 2
    seconds: float = 30.0


class MeasurableStat(Protocol):
    """A statistic of what a sensor records."""

    def record(self, value: float, now: float, window: SampleWindow) -> None:
        """Record a value at a time, in seconds."""

    def measure(self, now: float, window: SampleWindow) -> float:
        """The statistic at a time, in seconds; NaN if there is none."""


@dataclass(slots=True)
class _Sample:
    """A sample of values; an expired one can be reset."""

    began: float
    last: float
    value: float
    count: int = 0

    def begin(self, now: float, value: float) -> None:
        """Reset the sample."""
        self.began = self.last = now
        self.value, self.count = value, 0


class SampledStat(ABC):
    """The common part of statistics over the recent window."""

    initial = 0.0

    def __init__(self) -> None:
        self._samples: list[_Sample] = []
        self._present = 0

    def record(self, value: float, now: float, window: SampleWindow) -> None:
        """Record a value."""
        self._begin(now)
        if now - self._samples[self._present].began >= window.seconds:
            self._turn(now, window)
        sample = self._samples[self._present]
        sample.value = self.updated(sample.value, value)
        sample.count += 1
        sample.last = now

    def measure(self, now: float, window: SampleWindow) -> float:
        """The statistic of the samples within the window."""
        self._expire(now, window)
        return self.combined([each.value for each in self._samples], self._count())

    def oldest(self, now: float) -> float:
        """When the oldest sample began; the first one begins now."""
        self._begin(now)
        return min(each.began for each in self._samples)

    def _begin(self, now: float) -> None:
        if not self._samples:
            self._samples.append(_Sample(now, now, self.initial))

    def _turn(self, now: float, window: SampleWindow) -> None:
        """Switch to the next sample; there is one more than in the window, as overlap."""
        self._present = (self._present + 1) % (window.samples + 1)
        if self._present == len(self._samples):
            self._samples.append(_Sample(now, now, self.initial))
        else:
            self._samples[self._present].begin(now, self.initial)

    def _expire(self, now: float, window: SampleWindow) -> None:
        """Reset samples whose last value is older than the whole window."""
        age = window.samples * window.seconds
        for sample in self._samples:
            if now - sample.last >= age:
                sample.begin(now, self.initial)

    def _count(self) -> int:
        return sum(each.count for each in self._samples)

    @abstractmethod
    def updated(self, sample: float, value: float) -> float:
        """A sample's value with one more value in it."""

    @abstractmethod
    def combined(self, samples: list[float], count: int) -> float:
        """The statistic of several samples with a number of values."""


class WindowedSum(SampledStat):
    """The sum of the recent values."""

    def updated(self, sample: float, value: float) -> float:
        """The sum with the value added."""
        return sample + value

    def combined(self, samples: list[float], count: int) -> float:  # noqa: ARG002  # Kafka's too
        """The sum; zero without values."""
        return sum(samples)


class WindowedCount(WindowedSum):
    """The number of values in the recent window."""

    def updated(self, sample: float, value: float) -> float:  # noqa: ARG002  # only the number of values counts
        """The count plus one."""
        return sample + 1


class Avg(WindowedSum):
    """The average of the recent values."""

    def combined(self, samples: list[float], count: int) -> float:
        """The result; NaN without values."""
        return sum(samples) / count if count else math.nan


class Max(SampledStat):
    """The largest of the recent values."""

    initial = -math.inf

    def updated(self, sample: float, value: float) -> float:
        """The larger value."""
        return max(sample, value)

    def combined(self, samples: list[float], count: int) -> float:
        """The result; NaN without values."""
        return max(samples) if count else math.nan


class Min(SampledStat):
    """The smallest of the recent values."""

    initial = math.inf

    def updated(self, sample: float, value: float) -> float:
        """The smaller value."""
        return min(sample, value)

    def combined(self, samples: list[float], count: int) -> float:
        """The result; NaN without values."""
        return min(samples) if count else math.nan


class Rate:
    """The rate per second of a sum or a count over the recent window.

    Args:
        stat: the statistic to derive the rate from; the sum by default.
    """

    def __init__(self, stat: SampledStat | None = None) -> None:
        self._stat = WindowedSum() if stat is None else stat

    def record(self, value: float, now: float, window: SampleWindow) -> None:
        """Record a value."""
        self._stat.record(value, now, window)

    def measure(self, now: float, window: SampleWindow) -> float:
        """The rate over at least all windows except the current one."""
        value = self._stat.measure(now, window)
        elapsed = now - self._stat.oldest(now)
        missing = window.samples - 1 - int(elapsed / window.seconds)
        elapsed += max(0, missing) * window.seconds
        return value / max(elapsed, 0.001)
