"""A source or sink loop with everything around it faked, driven by a script."""

# ruff: noqa: D102  # the contracts being faked say what each method does

from __future__ import annotations

from collections import deque

from tests.runtime.worker.fakes import (
    Clock,
    FakeConsumer,
    FakeOffsetStore,
    FakeProducer,
    StatusLog,
)

from plugwright.converters import StringConverter
from plugwright.record import SourceRecord
from plugwright.task import SinkTask, SourceTask
from plugwright.worker import (
    AtLeastOnceGuarantee,
    Conversion,
    ErrorSettings,
    ExactlyOnceGuarantee,
    RecordCodec,
    SinkClients,
    SinkSettings,
    SinkTaskLoop,
    SourceSettings,
    SourceTaskLoop,
    TaskControl,
    TaskEnvironment,
    TaskIdentity,
    TopicCreation,
)

__all__ = ["IDENTITY", "RecordingSink", "ScriptedSource", "SinkRig", "SourceRig", "line"]

IDENTITY = TaskIdentity("orders", 3, "shop.OrdersTask", "1.4.0", "/plugins/shop")
CODEC = RecordCodec(StringConverter(), StringConverter(), StringConverter())
PATIENCE = 500


def line(file, number):
    """A record of a file-like source: line ``number`` of partition ``file``."""
    return SourceRecord({"file": file}, {"line": number}, "t", f"{file}{number}")


class UnhurriedControl(TaskControl):
    """Waits without sleeping; each wait does the next of ``waits``, a pause without end stops."""

    def __init__(self, clock):
        super().__init__()
        self.waits = deque()
        self._clock = clock

    def wait(self, timeout_s):
        self._clock.advance(timeout_s)
        if self.waits:
            self.waits.popleft()()
        elif self.paused:
            self.stop()


class ScriptedSource(SourceTask):
    """Does one step of its script a poll: a batch to return, or something to call."""

    def __init__(self, calls, control, steps):
        self.calls = calls
        self._control = control
        self._steps = deque(steps)

    def version(self):
        return "1.4.0"

    def initialize(self, context):
        super().initialize(context)
        self.calls.append("initialize")

    def start(self, props):
        self.calls.append("start")

    def poll(self):
        self.calls.append("poll")
        if not self._steps:
            self._control.stop()
            return None
        step = self._steps.popleft()
        return step() if callable(step) else step

    def commit(self):
        self.calls.append("commit")

    def stop(self):
        self.calls.append("stop")


class SourceRig:
    """A source loop; `run` plays a script to its end."""

    def __init__(self, task_class=ScriptedSource):
        self.calls = []
        self.boundaries = []
        self.clock = Clock()
        self.control = UnhurriedControl(self.clock)
        self.producer = FakeProducer()
        self.offsets = FakeOffsetStore()
        self.status = StatusLog()
        self.transform = None
        self.prepare = None
        self.codec = CODEC
        self.creation = TopicCreation()
        self.background = None
        self.transactions = None
        self.settings = SourceSettings(10.0, 2.0)
        self._task_class = task_class

    def run(self, *steps):
        """Play the script; the loop stops when it is over."""
        self.task = self._task_class(self.calls, self.control, steps)
        self.loop = SourceTaskLoop(
            self.task,
            TaskEnvironment(
                identity=IDENTITY,
                configs={"topic": "t"},
                conversion=Conversion(self.codec, self.transform, self.prepare),
                control=self.control,
                status=self.status,
                observe=self.boundaries.append,
                clock=self.clock,
            ),
            self._guarantee(),
            background=self.background,
            settings=self.settings,
        )
        self.loop.run()
        return self

    def _guarantee(self):
        if self.transactions is None:
            return AtLeastOnceGuarantee(self.producer, self.offsets, self.creation)
        return ExactlyOnceGuarantee(self.transactions, self.offsets, self.creation)

    def acknowledge(self, count=None):
        """A step: the broker answers."""
        return lambda: self.producer.acknowledge(count)

    def refuse(self, count=1):
        """A step: the broker refuses."""
        return lambda: self.producer.refuse(count)

    def interval(self):
        """A step: the time between two commits goes by."""
        self.clock.advance(10.0)

    @staticmethod
    def fail(error):
        """A step: poll raises."""

        def step():
            raise error

        return step


class RecordingSink(SinkTask):
    """Remembers all calls; ``plan`` maps the name of a call to what happens there, in turn."""

    def __init__(self, calls, plan):
        self.calls = calls
        self._plan = {name: deque(steps) for name, steps in plan.items()}

    def version(self):
        return "1.4.0"

    def initialize(self, context):
        super().initialize(context)
        self._do("initialize")

    def start(self, props):
        self._do("start")

    def open(self, partitions):
        self._do("open", sorted(partitions))

    def close(self, partitions):
        self._do("close", sorted(partitions))

    def put(self, records):
        self._do("put", [record.value for record in records])

    def pre_commit(self, offsets):
        answer = self._do("pre_commit", dict(offsets))
        return dict(offsets) if answer is None else answer

    def stop(self):
        self._do("stop")

    def _do(self, name, *about):
        self.calls.append((name, *about))
        steps = self._plan.get(name)
        step = steps.popleft() if steps else None
        if isinstance(step, BaseException):
            raise step
        return step(self) if callable(step) else step


class SinkRig:
    """A sink loop; `run` does one step at the beginning of each poll, then stops."""

    def __init__(  # noqa: PLR0913  # what a test may want otherwise
        self,
        *,
        interval_s=10.0,
        task_class=RecordingSink,
        transform=None,
        prepare=None,
        errors=None,
        dead_letters=None,
        codec=CODEC,
        max_poll_records=500,
        flush_max_records=0,
        flush_timeout_s=2.0,
        **plan,
    ):
        self.calls = []
        self.interval_s = interval_s
        self.clock = Clock()
        self.control = UnhurriedControl(self.clock)
        self.consumer = FakeConsumer(self.clock)
        self.status = StatusLog()
        self.boundaries = []
        self.task = task_class(self.calls, plan)
        self.loop = SinkTaskLoop(
            self.task,
            TaskEnvironment(
                identity=IDENTITY,
                configs={"topics": "t"},
                conversion=Conversion(codec, transform, prepare),
                control=self.control,
                status=self.status,
                observe=self.boundaries.append,
                clock=self.clock,
            ),
            SinkClients(self.consumer, ["t"], dead_letters),
            settings=SinkSettings(
                interval_s,
                flush_timeout_s,
                errors or ErrorSettings(),
                max_poll_records=max_poll_records,
                flush_max_records=flush_max_records,
            ),
        )

    def run(self, *steps):
        """Play the steps, one a poll, then stop the loop."""
        self.consumer.steps.extend([*steps, self.control.stop])
        self.loop.run()
        return self

    def assign(self, *partitions):
        """A step: partitions come."""
        return lambda: self.consumer.assign(*partitions)

    def revoke(self, *partitions):
        """A step: partitions leave."""
        return lambda: self.consumer.revoke(*partitions)

    def lose(self, *partitions):
        """A step: partitions have left."""
        return lambda: self.consumer.lose(*partitions)

    def produce(self, partition, *values):
        """A step: records are written."""
        return lambda: self.consumer.produce(partition, *values)

    def interval(self):
        """A step: the time between two commits goes by."""
        self.clock.advance(self.interval_s)

    def until(self, condition):
        """A step: poll on until something is so."""

        def step():
            assert len(self.consumer.polls) < PATIENCE, "it never became so"
            if not condition():
                self.consumer.steps.appendleft(step)

        return step

    def idle(self):
        """A step: nothing happens."""

    def said(self, name):
        """What the task received in the calls of one name."""
        return [call[1] if len(call) > 1 else None for call in self.calls if call[0] == name]

    @property
    def order(self):
        """The names of the calls, repeated ones once, without polls for nothing."""
        names = [call[0] for call in self.calls if call != ("put", [])]
        return [n for i, n in enumerate(names) if i == 0 or names[i - 1] != n]
