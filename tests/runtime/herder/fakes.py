"""A worker that only remembers, whose connectors do as they are told."""

from __future__ import annotations

from plugwright.errors import ConnectError, PluginError
from plugwright.herder._seams import TaskNews


class FakeGroup:
    """Tasks that are at once what they are asked to be."""

    def __init__(self, world, name, configs, listener):
        self.world = world
        self.name = name
        self.configs = configs
        self.listener = listener

    def tell(self, state, trace="", tasks=None):
        """News of these tasks, or of all."""
        for number in tasks if tasks is not None else self.configs:
            self.listener(number, TaskNews(state, trace))

    def pause(self):
        """At once."""
        self.world.note("pause-tasks", self.name)
        self.tell("PAUSED")

    def resume(self):
        """At once."""
        self.world.note("resume-tasks", self.name)
        self.tell("RUNNING")

    def forget_topics(self):
        """Remember it."""
        self.world.note("forget-topics", self.name)

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
        """At once, with news that come late."""
        self.world.note("stop-tasks", self.name, tuple(tasks or ()))
        self.tell("STOPPED", tasks=tasks)
        return True


class FakeInstance:
    """A started connector."""

    def __init__(self, world, request):
        self.world = world
        self.request = request

    version = "1.0"

    def pause(self):
        """Remember it."""
        self.world.note("pause", self.request.name)

    def resume(self):
        """Remember it, or fail as told."""
        self.world.note("resume", self.request.name)
        self.world.fail("resume")

    def task_configs(self):
        """As many as the configuration says."""
        self.world.fail("task_configs")
        return [{"n": str(n)} for n in range(int(self.request.config.get("tasks.max", "1")))]

    def launch(self, name, configs, listener):
        """Run at once."""
        self.world.note("launch", name, tuple(configs))
        group = FakeGroup(self.world, name, dict(configs), listener)
        self.world.groups.append(group)
        group.tell("RUNNING")
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

    def note(self, *call):
        """Remember a call."""
        self.calls.append(call)

    def fail(self, phase):
        """Raise what the phase is to fail with."""
        if phase in self.failures:
            raise self.failures[phase]

    def start_connector(self, request):
        """Start, or fail as told."""
        self.note("start", request.name)
        self.fail("start")
        instance = FakeInstance(self, request)
        self.instances.append(instance)
        return instance

    def validate(self, config):
        """Nothing is ever wrong, unless the configuration says so."""
        wrong = config.get("wrong")
        value = {"name": "wrong", "value": wrong, "errors": ["it is wrong"] if wrong else []}
        configs = [{"definition": None, "value": value}]
        return {"name": "X", "error_count": int(bool(wrong)), "groups": [], "configs": configs}

    def connector_type(self, config):
        """As the configuration says."""
        return config.get("type", "source")

    def fence_zombies(self, name, config, tasks, prove):
        """Remember it; exactly-once sources need a proof first."""
        if "exactly-once" in config:
            prove()
        self.note("fence", name, tasks)
        self.fail("fence")

    def set_logger_level(self, namespace, level):
        """Note it."""
        self.note("level", namespace, level)

    def offsets(self, name, config):
        """What was stored."""
        return list(self.stored.get(name, ()))

    def alter_offsets(self, name, config, offsets):
        """Remember it, or fail as told."""
        self.note("alter-offsets", name, offsets)
        self.fail("alter")
        return self.plugin_alters


def failure(phase="start"):
    """What a plugin's failure arrives as."""
    return PluginError(f"X 1.0 failed in {phase}: boom")


def refusal(message="no"):
    """An error that explains itself."""
    return ConnectError(message, code="test.refused", hint="do otherwise")
