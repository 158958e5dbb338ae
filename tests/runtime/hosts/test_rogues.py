"""Connectors that do the worst they can, against the process that they run in."""

from __future__ import annotations

import re
import time
import traceback

import pytest
from tests.runtime.hosts import locations
from tests.runtime.hosts.processes import gone
from tests.runtime.hosts.rogues import rogue

from plugwright.errors import ConnectError
from plugwright.hosts import PluginHosts
from plugwright.origin import origin
from plugwright.plugins import Plugins

pytestmark = pytest.mark.slow

PHASES = [
    "import",
    "constructor",
    "config",
    "validate",
    "initialize",
    "start",
    "task_class",
    "task_configs",
    "stop",
]
BECOMES = {
    "nothing": ("plugin.failed", "at all"),
    "leave": ("plugin.host-ended", "ended with status 7"),
    "hang": ("plugin.host-timeout", "did not answer within 1 s"),
}
RAISES = {
    "raise": "not like this",
    "odd": "OddError",
    "exit": "3",
    "interrupt": "KeyboardInterrupt",
    "generator": "GeneratorExit",
    "nothing": "at all",
    "stop iteration": "StopIteration",
}
ENDS = {
    "crash": "was ended by SIGSEGV",
    "abort": "was ended by SIGABRT",
}
SILENT = {"hang", "hold"}
"""Deeds after which there is no answer; a busy machine may take its time over all others."""
MEMORY = 400 << 20


def drive(world, context, phase, deed, **settings):
    """Take a connector through all of its phases; what that raises, and where it was found."""
    trouble = f"{phase}:{deed}"
    location = rogue(world.root, trouble=trouble)
    world.hosts = PluginHosts(Plugins.service_load([world.root]), timeout_s=30.0, memory=MEMORY)
    bring_up(world, location, 1.0 if deed in SILENT else 30.0)
    with pytest.raises(ConnectError) as caught:
        live(world, context, trouble=trouble, **settings)
    return caught.value, str(location.path)


def live(world, context, **settings):
    """A connector's life."""
    connector = world.open(**{"connector.class": "RogueSource", **settings})
    connector.start(context)
    connector.tasks(1)
    connector.surroundings()
    connector._services[0].stop(connector._key)


def bring_up(world, location, timeout_s):
    """Start the process of a location and wait for it, then give its calls so much time."""
    host = world.hosts.acquire((location,))
    host._exchange("where", "", None, 30.0)
    host._timeout_s = timeout_s


def said_of(error):
    """The whole trace, as a status shows it."""
    return "".join(traceback.format_exception(error))


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("deed", BECOMES)
def test_every_phase_of_a_connector_is_guarded(world, context, phase, deed):
    """Plugin, version, location and phase are named, whatever has come of the process."""
    error, location = drive(world, context, phase, deed)

    code, reason = BECOMES[deed]
    assert error.code == code
    assert reason in str(error)
    assert origin("rogue_plugin.RogueSource", "1.0", location, phase) in said_of(error)


@pytest.mark.parametrize(("deed", "reason"), RAISES.items(), ids=RAISES)
def test_whatever_is_raised_is_an_error_of_the_connector(world, context, deed, reason):
    """Exceptions of every kind, also those that end an interpreter, or have no text."""
    error, _ = drive(world, context, "start", deed)

    assert (error.code, str(error)) == (
        "plugin.failed",
        f"rogue_plugin.RogueSource 1.0 failed in start: {reason}",
    )


@pytest.mark.parametrize(("deed", "reason"), ENDS.items(), ids=ENDS)
def test_however_a_process_ends_its_connector_is_named(world, context, deed, reason):
    """With the reason as the system gives it."""
    error, _ = drive(world, context, "start", deed)

    assert error.code == "plugin.host-ended"
    assert reason in str(error)


def test_a_crash_says_where(world, context):
    """The line of the plugin, as the interpreter prints it in its last moment."""
    error, _ = drive(world, context, "start", "crash")

    assert re.search(r'rogue_plugin\.py", line \d+ in start', str(error))


def test_a_hang_says_where(world, context):
    """The calls that the connector is in, the innermost one last."""
    error, _ = drive(world, context, "start", "hang")

    assert re.search(r'rogue_plugin\.py", line \d+, in start', said_of(error))


def test_a_plugin_that_lets_no_thread_run_has_its_process_ended(world, context):
    """Its neighbours could not be asked anything any more."""
    error, _ = drive(world, context, "start", "hold")
    pid = error.facts["pid"]

    assert error.code == "plugin.host-timeout"
    assert "none of its threads could run, so the process was killed" in said_of(error)
    assert gone(pid)


def test_memory_without_bound_is_an_error_of_the_connector(world, context):
    """It is refused at the limit, long before the machine has none left."""
    error, _ = drive(world, context, "start", "grow")

    assert (error.code, error.hint) == (
        "plugin.out-of-memory",
        "reduce its memory use, or raise plugin.memory.limit.mb",
    )


def test_an_endless_message_is_cut(world, context):
    """A status is a record of Kafka, which has a limit."""
    error, _ = drive(world, context, "start", "long")

    assert len(said_of(error)) < 200_000
    assert "characters left out]" in str(error)


@pytest.mark.parametrize("deed", ["flood", "threads", "surroundings", "fork", "close"])
def test_what_disturbs_only_its_own_process_is_borne(world, context, deed):
    """The connector goes on, and the driver gets its answers once each."""
    rogue(world.root)
    connector = world.open(**{"connector.class": "RogueSource", "trouble": f"start:{deed}"})
    (pid,) = connector.pids

    connector.start(context)
    plans = [connector.tasks(count) for count in (1, 2, 3)]
    connector.stop()

    assert [len(plan.configs) for plan in plans] == [1, 2, 3]
    assert context.errors == []
    assert gone(pid)


@pytest.mark.parametrize(
    ("phase", "deed"),
    [
        pytest.param("start", "leave", id="leaves"),
        pytest.param("start", "hold", id="lets no thread run"),
        pytest.param("validate", "crash", id="crashes in the validation of a request"),
    ],
)
def test_neighbours_in_one_process_are_started_again(world, context, phase, deed):
    """They hear that they have lost it, not that they have failed."""
    location = rogue(world.root)
    world.hosts = PluginHosts(Plugins.service_load([world.root]), timeout_s=30.0)
    bring_up(world, location, 1.0)
    neighbour = world.open(**{"connector.class": "RogueSource"})
    neighbour.start(context)

    with pytest.raises(ConnectError):
        live(world, type(context)(), trouble=f"{phase}:{deed}")
    deadline = time.monotonic() + 10
    while not context.lost and time.monotonic() < deadline:
        time.sleep(0.01)

    assert [error.code for error in context.lost] == ["plugin.host-ended"]
    assert context.errors == []
    world.open(**{"connector.class": "RogueSource"}).start(context)


@pytest.mark.parametrize("part", ["converter", "transformation"])
@pytest.mark.parametrize("deed", BECOMES)
def test_what_stands_around_the_tasks_is_named_itself(world, context, part, deed):
    """Not the connector that uses it."""
    chain = {"transforms": "a", "transforms.a.type": "RogueTransformation"}
    settings = {"value": "RogueConverter"} if part == "converter" else chain

    error, location = drive(world, context, f"{part} config", deed, **settings)

    assert error.code == BECOMES[deed][0]
    plugin = "RogueConverter" if part == "converter" else "RogueTransformation"
    assert origin(f"rogue_plugin.{plugin}", "1.0", location, "config") in said_of(error)


def test_other_locations_do_not_notice(world, context):
    """Each has a process of its own."""
    locations.connector(world.root)
    shop = world.open()
    shop.start(context)
    error, _ = drive(world, type(context)(), "start", "abort")

    assert error.code == "plugin.host-ended"
    assert len(shop.tasks(1).configs) == 1
    assert (context.errors, context.lost) == ([], [])


def test_a_transformation_that_refuses_its_settings_is_left_to_the_tasks(world, context):
    """They make and configure it; the connector itself has nothing to do with it."""
    rogue(world.root)
    world.hosts = PluginHosts(Plugins.service_load([world.root]), timeout_s=30.0)
    chain = {"transforms": "a", "transforms.a.type": "RogueTransformation"}
    connector = world.open(
        **{"connector.class": "RogueSource", **chain, "transforms.a.trouble": "configure:raise"}
    )
    connector.start(context)

    around = connector.surroundings()

    assert list(around.transform_classes) == ["RogueTransformation"]
    assert around.transforms["transforms.a.trouble"] == "configure:raise"
