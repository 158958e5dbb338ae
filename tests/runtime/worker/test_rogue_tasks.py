"""Tasks that raise what no task should raise, in each of their phases."""

from __future__ import annotations

import pytest
from tests.runtime.worker.rigs import ScriptedSource, SinkRig, SourceRig, line

from plugwright.origin import origin
from plugwright.record import TopicPartition

T0 = TopicPartition("orders", 0)


class NothingError(BaseException):
    """Of no class that anybody catches."""


class OddError(Exception):
    """Fails even at saying what it is."""

    def __str__(self):
        raise NothingError


RAISED = {
    "exit": (SystemExit(3), "plugin.failed", "3"),
    "generator": (GeneratorExit(), "plugin.failed", "GeneratorExit"),
    "iteration": (StopIteration(), "plugin.failed", "StopIteration"),
    "nothing": (NothingError("at all"), "plugin.failed", "at all"),
    "odd": (OddError(), "plugin.failed", "OddError"),
    "memory": (MemoryError(), "plugin.out-of-memory", "MemoryError"),
}


def raising(error):
    """A method."""

    def method(*_):
        raise error

    return method


def reported(error):
    """Code, text and origin."""
    return error.code, str(error), error.__notes__


def expected(deed, phase):
    """The same, as they should be."""
    _, code, text = RAISED[deed]
    line = origin("shop.OrdersTask", "1.4.0", "/plugins/shop", phase)
    return code, f"shop.OrdersTask 1.4.0 failed in {phase}: {text}", [line]


@pytest.mark.parametrize("phase", ["initialize", "start", "poll", "stop"])
@pytest.mark.parametrize("deed", RAISED)
def test_whatever_a_source_task_raises_fails_it(phase, deed):
    """With plugin, version, location and phase, and nothing beyond the task."""
    task = type("Rogue", (ScriptedSource,), {phase: raising(RAISED[deed][0])})

    rig = SourceRig(task).run()

    assert rig.status.states[-1] == "FAILED"
    assert reported(rig.status.error) == expected(deed, phase)


@pytest.mark.parametrize("phase", ["commit", "commit_record"])
@pytest.mark.parametrize("deed", RAISED)
def test_what_a_source_task_raises_in_commit_record_changes_nothing(phase, deed, caplog):
    """The data is safe by then; the log has plugin and phase."""
    task = type("Rogue", (ScriptedSource,), {phase: raising(RAISED[deed][0])})
    rig = SourceRig(task)

    rig.run([line("a", 1)], rig.acknowledge(), rig.interval)

    assert rig.status.states[-1] == "STOPPED"
    assert expected(deed, phase)[1] in caplog.text


@pytest.mark.parametrize("phase", ["initialize", "start", "open", "put", "close", "stop"])
@pytest.mark.parametrize("deed", RAISED)
def test_whatever_a_sink_task_raises_fails_it(phase, deed):
    """The same."""
    rig = SinkRig()
    setattr(rig.task, phase, raising(RAISED[deed][0]))

    rig.run(rig.assign(T0), rig.idle)

    assert rig.status.states[-1] == "FAILED"
    assert reported(rig.status.error) == expected(deed, phase)


@pytest.mark.parametrize("phase", ["pre_commit", "flush"])
@pytest.mark.parametrize("deed", RAISED)
def test_what_a_sink_task_raises_before_a_commit_skips_the_commit(phase, deed, caplog):
    """As in Kafka Connect; ``flush`` is called by the ``pre_commit`` that a task inherits."""
    rig = SinkRig()
    method = raising(RAISED[deed][0])
    rig.task.pre_commit = method if phase == "pre_commit" else lambda _: method()

    rig.run(rig.assign(T0), rig.produce(T0, "a"), rig.interval, rig.idle)

    assert (rig.status.states[-1], rig.consumer.group) == ("STOPPED", {})
    assert expected(deed, "pre_commit")[1] in caplog.text
