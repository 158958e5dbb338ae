"""A worker that only remembers, whose connectors do as a test says."""

from __future__ import annotations

from plugwright.config import key_info
from plugwright.errors import ConnectError, PluginError
from plugwright.herder import StartRequest, TaskUpdate
from plugwright.herder.plugin_uses import PluginUse
from plugwright.plugins import load_class


class HandClock:
    """Timers that go off when the test says that time has passed."""

    def __init__(self):
        self.now, self.timers = 0.0, []

    def start_timer(self, seconds, work):
        """Remember it; the answer calls it off."""
        timer = (self.now + seconds, work)
        self.timers.append(timer)
        return lambda: self.timers.remove(timer) if timer in self.timers else None

    @property
    def waits(self):
        """The seconds until each timer goes off."""
        return [at - self.now for at, _ in self.timers]

    def advance(self, seconds):
        """Let time pass."""
        self.now += seconds
        for timer in [each for each in self.timers if each[0] <= self.now]:
            self.timers.remove(timer)
            timer[1]()


class FakeGroup:
    """Tasks that are at once what they are asked to be."""

    def __init__(self, world, name, configs, listener):
        self.world = world
        self.name = name
        self.configs = configs
        self.listener = listener

    def tell(self, state, trace="", tasks=None):
        """Updates of these tasks, or of all."""
        for number in tasks if tasks is not None else self.configs:
            self.listener(number, TaskUpdate(state, trace))

    def pause(self):
        """At once."""
        self.world.note("pause-tasks", self.name)
        self.tell("PAUSED")

    def resume(self):
        """At once."""
        self.world.note("resume-tasks", self.name)
        self.tell("RUNNING")

    def forget_topics(self, before_ms):
        """Remember it."""
        self.world.note("forget-topics", self.name, before_ms)

    def topics(self):
        """What the world says that they have used."""
        return self.world.used

    def counters(self):
        """The same for every task."""
        figures = {
            "records": 7,
            "batches": 2,
            "commits": 3,
            "commit_failures": 1,
            "total-retries": 3,
        }
        return dict.fromkeys(self.configs, figures)

    def stop(self, timeout_s, tasks=None):
        """At once, with updates that come late."""
        self.world.note("stop-tasks", self.name, tuple(tasks or ()))
        self.tell("STOPPED", tasks=tasks)
        return True


class FakeInstance:
    """A started connector."""

    def __init__(self, world, request):
        self.world = world
        self.request = request
        self.given = dict(world.supplied)

    version = "1.0"

    @property
    def supplied(self):
        """What the world has to tell."""
        return self.given

    def pause(self):
        """Remember it."""
        self.world.note("pause", self.request.name)

    def resume(self):
        """Remember it, or fail as a test says."""
        self.world.note("resume", self.request.name)
        self.given = dict(self.world.supplied)
        self.world.fail("resume")

    def task_configs(self):
        """As many as the configuration says."""
        self.world.fail("task_configs")
        config = self.request.config
        named = {"task.class": config["task.class"]} if "task.class" in config else {}
        return [{"n": str(n), **named} for n in range(int(config.get("tasks.max", "1")))]

    def launch(self, name, configs, listener, *, paused=False):
        """Run at once, or hold still, or fail as a test says."""
        self.world.note("launch", name, tuple(configs))
        self.world.fail("launch")
        group = self.world.group(name, dict(configs), listener)
        self.world.groups.append(group)
        group.tell("PAUSED" if paused else "RUNNING")
        return group

    def stop(self):
        """Remember it."""
        self.world.note("stop", self.request.name)


class FakeWorker:
    """Remembers every call in `calls`; `failures` maps a phase to what it raises."""

    def __init__(self):
        self.calls = []
        self.failures = {}
        self.groups = []
        self.instances = []
        self.stored = {}
        self.plugin_alters = True
        self.prepared = []
        self.supplied, self.figures, self.used = {}, {}, {}
        self.ttl_ms = None

    def note(self, *call):
        """Remember a call."""
        self.calls.append(call)

    def fail(self, phase):
        """Raise what the phase is to fail with."""
        if phase in self.failures:
            raise self.failures[phase]

    def prepare(self, configs):
        """Ready at once, or fail as a test says."""
        self.prepared.append(list(configs))
        self.fail("prepare")

    def start_connector(self, request):
        """Start, or make it only, or fail as a test says."""
        self.note("make" if request.paused else "start", request.name)
        if self.ttl_ms is not None:
            request.expires(self.ttl_ms)
        self.fail("start")
        instance = FakeInstance(self, request)
        self.instances.append(instance)
        return instance

    def group(self, name, configs, listener):
        """Some tasks."""
        return FakeGroup(self, name, configs, listener)

    def host_tasks(self, name, config):
        """What launches tasks without a started connector, or fails as a test says."""
        self.note("host", name)
        self.fail("host")
        return FakeInstance(self, StartRequest(name, config, None, None))

    def spreads_tasks(self, config):
        """Unless the configuration says otherwise."""
        return "together" not in config

    def validate(self, config):
        """Nothing is ever wrong, unless the configuration says so."""
        wrong = config.get("wrong")
        value = {"name": "wrong", "value": wrong, "errors": ["it is wrong"] if wrong else []}
        configs = [{"definition": None, "value": value}]
        return {"name": "X", "error_count": int(bool(wrong)), "groups": [], "configs": configs}

    def connector_type(self, config):
        """As the configuration says."""
        return config.get("type", "source")

    def connector_class(self, config):
        """As the configuration says."""
        return config.get("connector.class", "")

    def connector_version(self, config):
        """Always the same."""
        return "1.0"

    def plugin_figures(self, name=""):
        """What a test says that a plugin has."""
        return self.figures.get(name, {})

    def plugin_uses(self, config):
        """One of each role."""
        roles = ("key-converter", "value-converter", "header-converter")
        yield from (PluginUse(role, "", f"some.{role}", "4.3") for role in roles)
        yield PluginUse("transform", "mask", "some.Mask", "1.2")
        yield PluginUse("predicate", "old", "some.Old", "0.9")

    def fence_zombies(self, name, config, tasks, prove):
        """Remember it; exactly-once sources need a proof first."""
        if "exactly-once" in config:
            prove()
        self.note("fence", name, tasks)
        self.fail("fence")

    def definition_of(self, plugin):
        """Of the class itself."""
        return [key_info(each) for each in load_class(plugin)().config().keys.values()]

    def set_logger_level(self, namespace, level):
        """Note it."""
        self.note("level", namespace, level)

    def offsets(self, name, config):
        """What was stored."""
        return list(self.stored.get(name, ()))

    def alter_offsets(self, name, config, offsets):
        """Remember it, or fail as a test says."""
        self.note("alter-offsets", name, offsets)
        self.fail("alter")
        return self.plugin_alters


def failure(phase="start"):
    """What a plugin's failure arrives as."""
    return PluginError(f"X 1.0 failed in {phase}: boom")


def refusal(message="no"):
    """An error that explains itself."""
    return ConnectError(message, code="test.refused", hint="do otherwise")
