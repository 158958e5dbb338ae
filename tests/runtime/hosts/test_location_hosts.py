"""The driver's share of a connector, in a process of its location."""

from __future__ import annotations

import io
import json
import logging
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from tests.runtime.hosts import locations
from tests.runtime.hosts.processes import gone

from plugwright.config import ConfigTransformer, config_providers
from plugwright.errors import ConnectError, PluginError
from plugwright.hosts import PluginHosts, provider_class
from plugwright.hosts import hosts as hosts_module
from plugwright.logs import log_formatter, set_level
from plugwright.metrics import PluginFigure, figures_of_plugins
from plugwright.plugins import CONFIG_PROVIDER, Plugins

pytestmark = pytest.mark.slow


def problems(connector):
    """The keys with problems, in order."""
    return [value.name for value in connector.values if value.error_messages]


def test_a_connector_lives_in_another_process(world, context):
    """Its dependency is its location's, and this process has neither."""
    locations.connector(world.root, version="1.4")
    connector = world.open()
    connector.start(context)

    plan = connector.tasks(3)

    assert [config["dependency"] for config in plan.configs] == ["1.4"]
    assert (plan.task_class.module, plan.task_class.qualname) == ("shop_plugin", "ShopTask")
    assert connector.pids != (os.getpid(),)
    assert "shared_dep" not in sys.modules
    assert "shop_plugin" not in sys.modules


def test_metrics_of_a_connector_are_reported_to_this_process(world, context):
    """With the connector's name (KIP-877)."""
    locations.connector(world.root)
    connector = world.open(trouble="start:measure")
    connector.start(context)
    (reported,) = figures_of_plugins(context.figures.get(timeout=30))
    assert reported == PluginFigure("stock", "What is left.", {"connector": "x"}, 7.0)


def test_without_isolation_this_process_runs_it(world, context, monkeypatch):
    """As plugin.isolation=none says."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    locations.connector(world.root, "none", prefix="None")
    connector = world.open(isolated=False, **{"connector.class": "NoneSource"})
    connector.start(context)
    assert connector.pids == (os.getpid(),)
    assert sys.modules["none_plugin"].shared_dep.__version__ == "1.0"
    connector.stop()
    for name in ("none_plugin", "shared_dep"):
        del sys.modules[name]


def test_conflicting_parts_are_checked_where_they_run(world):
    """All problems come in Kafka's order, whichever process found them."""
    locations.connector(world.root)
    locations.converter(world.root)
    locations.transformation(world.root)

    connector = world.open(
        value="ShopConverter",
        topic="",
        trouble="",
        transforms="mark,hoist,wrong",
        **{
            "transforms.mark.type": "ShopMark",
            "transforms.hoist.type": "HoistField$Value",
            "transforms.wrong.type": "Nothing",
            "value.converter.size": "large",
        },
    )

    assert problems(connector) == [
        "transforms.mark.mark",
        "transforms.hoist.field",
        "transforms.wrong.type",
        "value.converter.size",
    ]
    assert len(set(connector.pids)) == 3


def test_what_stands_around_a_task_is_divided_by_process(world, context):
    """The connector's own location is process 0."""
    shop = locations.connector(world.root)
    press = locations.converter(world.root)
    connector = world.open(
        value="ShopConverter",
        transforms="hoist",
        **{"transforms.hoist.type": "HoistField$Value", "transforms.hoist.field": "f"},
    )
    connector.start(context)

    around = connector.surroundings()

    assert connector.python_path == (str(shop.path),)
    assert around.paths == ((str(press.path),),)
    assert around.converters["value.converter"].process == 1
    assert around.converters["value.converter"].version == "1.0"
    assert around.transform_classes["HoistField$Value"].process == 0


def test_only_a_header_converter_receives_what_it_is_for(world, context):
    """Kafka Connect 4.3.1 puts the type over any other; keys and values have an argument."""
    locations.connector(world.root)
    asked = {f"{part}.converter.converter.type": "value" for part in ("header", "key")}
    connector = world.open(**asked, **{"header.converter.more": "1"})
    connector.start(context)

    found = connector.surroundings().converters

    assert {key: reference.settings for key, reference in found.items()} == {
        "header.converter": {"converter.type": "header", "more": "1"},
        "key.converter": {"converter.type": "value"},
        "value.converter": {},
    }


def test_without_a_conflict_one_process_serves_all(world, context):
    """The composite, the connector's location first."""
    shop = locations.connector(world.root, version="1.0")
    press = locations.converter(world.root, version="1.0")
    connector = world.open(value="ShopConverter")
    assert len(connector.pids) == 1
    assert connector.python_path == (str(shop.path), str(press.path))


def test_connectors_of_one_composition_share_its_process(world, context):
    """It ends with the last of them."""
    locations.connector(world.root)
    first, second = world.open(), world.open()
    (pid,) = first.pids
    assert second.pids == (pid,)
    first.stop()
    assert not gone(pid, 0.1)
    second.stop()
    assert gone(pid)


@pytest.mark.parametrize(
    ("trouble", "expected"),
    [
        ("exit", "plugin.failed: 3"),
        ("value", "plugin.failed: not like this"),
        ("die", "plugin.host-ended: its host process PID for LOCATION ended with status 7"),
        ("hang", "plugin.host-timeout: its host process PID for LOCATION did not answer within"),
    ],
)
@pytest.mark.parametrize("phase", ["validate", "start", "task_configs"])
def test_whatever_a_plugin_does_is_a_diagnostic(world, context, trouble, expected, phase):
    """Plugin, version, location and phase are named; nothing ends or hangs the driver."""
    shop = locations.connector(world.root)
    hurry(world.open())

    with pytest.raises(PluginError) as caught:
        run(world, context, f"{phase}:{trouble}")

    code, _, reason = expected.partition(": ")
    text = re.sub(r"process \d+", "process PID", str(caught.value))
    text = text.replace(str(shop.path), "LOCATION")
    assert text.startswith(f"shop_plugin.ShopSource 1.0 failed in {phase}: {reason}")
    facts = caught.value.facts
    assert (caught.value.code, facts["plugin"], facts["version"]) == (code, *OF_THE_SHOP)
    assert (facts["location"], facts["phase"]) == (str(shop.path), phase)


OF_THE_SHOP = ("shop_plugin.ShopSource", "1.0")


def hurry(connector):
    """Give further calls into its host, which is up, less time."""
    connector._services[0]._timeout_s = 0.5


def run(world, context, trouble):
    """A connector's way to its tasks."""
    connector = world.open(trouble=trouble)
    connector.start(context)
    connector.tasks(1)


def test_the_end_of_a_process_is_reported_with_its_last_words(world, context):
    """Its exit status and what it printed."""
    locations.connector(world.root)
    with pytest.raises(PluginError, match=r"ended with status 7; it printed 'starting 1.0 \| so"):
        world.open(trouble="start:die").start(context)


def test_an_error_that_the_plugin_explains_is_passed_on(world, context):
    """Of a class of its own, with code, hint and facts."""
    locations.connector(world.root)
    with pytest.raises(ConnectError, match="closed today") as caught:
        world.open(trouble="start:own").start(context)
    assert (caught.value.code, caught.value.hint, caught.value.facts) == (
        "shop.closed",
        "wait",
        {"a": 1},
    )


def test_a_connector_may_ask_and_tell_the_runtime(world, context):
    """Its context is the driver's."""
    locations.connector(world.root)
    world.open(trouble="start:ask").start(context)
    connector = world.open(trouble="start:tell")
    connector.start(context)
    deadline = time.monotonic() + 10
    while not context.errors and time.monotonic() < deadline:
        time.sleep(0.01)
    assert sorted(map(str, context.calls)) == ["reconfigure", "{'file': 'a'}"]
    assert [error.code for error in context.errors] == ["shop.empty"]


def test_a_refused_question_reaches_the_connector(world, context):
    """As the error that it was."""
    locations.connector(world.root)
    context.offset = _refuse
    with pytest.raises(ConnectError, match="not here") as caught:
        world.open(trouble="start:ask").start(context)
    assert caught.value.code == "herder.no"


def _refuse(partition):
    raise ConnectError("not here", code="herder.no")


def test_a_killed_host_fails_its_connectors_and_no_others(world, context):
    """Each receives the reason at once."""
    locations.connector(world.root, "first", "1.0", prefix="First")
    locations.connector(world.root, "second", "2.0", prefix="Second")
    other = type(context)()
    first = world.open(**{"connector.class": "FirstSource"})
    second = world.open(**{"connector.class": "SecondSource"})
    first.start(context)
    second.start(other)

    os.kill(first.pids[0], signal.SIGKILL)
    deadline = time.monotonic() + 10
    while not context.errors and time.monotonic() < deadline:
        time.sleep(0.01)

    assert [error.code for error in context.errors] == ["plugin.host-ended"]
    assert "was ended by SIGKILL" in str(context.errors[0])
    assert other.errors == []
    assert second.tasks(1).configs[0]["dependency"] == "2.0"


def test_after_a_hang_the_next_connector_gets_a_fresh_process(world, context):
    """The hanging one is ended with its last user."""
    locations.connector(world.root)
    hanging = world.open(trouble="start:hang")
    (pid,) = hanging.pids
    hurry(hanging)
    with pytest.raises(PluginError, match="did not answer"):
        hanging.start(context)
    fresh = world.open()
    assert fresh.pids != (pid,)
    hanging._services[0]._call = None  # it is not asked to stop, which would take as long again
    hanging.stop()
    assert gone(pid)


def test_a_host_ends_with_its_driver(tmp_path):
    """Also if that is killed, and although a plugin hangs."""
    locations.connector(tmp_path / "path")
    script = (
        "import os, sys, threading\n"
        "from pathlib import Path\n"
        "from tests.runtime.hosts.conftest import Context, World\n"
        f"world = World(Path({str(tmp_path / 'path')!r}))\n"
        "connector = world.open(trouble='start:hang')\n"
        "print(connector.pids[0], flush=True)\n"
        "connector.start(Context())\n"
    )
    root = Path(__file__).parents[3]
    driver = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, cwd=root
    )
    with driver, driver.stdout as out:
        pid = int(out.readline())
        time.sleep(0.2)
        driver.kill()
        assert gone(pid)


def test_what_a_location_must_not_replace_stays_the_hosts(world, context):
    """The standard library and the runtime; and no line of a path file is run."""
    shop = locations.connector(world.root)
    (shop.path / "colorsys.py").write_text("raise SystemExit('shadowed')")
    with (shop.path / "shop_plugin.py").open("a") as file:
        file.write("import colorsys\n")
    (shop.path / "plugwright").mkdir()
    (shop.path / "plugwright/__init__.py").write_text("raise SystemExit('bundled')")
    ran = shop.path / "ran"
    (shop.path / "evil.pth").write_text(f"import pathlib; pathlib.Path({str(ran)!r}).touch()\n")

    world.open().start(context)

    assert not ran.exists()


def test_what_plugins_print_is_logged(world, context, caplog):
    """Nothing of it reaches the driver's own output."""
    locations.connector(world.root)
    with caplog.at_level("INFO"):
        world.open().start(context)
        deadline = time.monotonic() + 10
        while "starting 1.0" not in caplog.text and time.monotonic() < deadline:
            time.sleep(0.01)
    assert "starting 1.0" in caplog.text


TALKING = """
import logging, os, sys, threading

def talk(place):
    logging.getLogger("shop.talk").debug("%s debug", place)
    logging.getLogger("shop.talk").warning("%s warning", place)
    print(place, "printed")
    os.write(1, (place + " wrote" + chr(10)).encode())

start, stop = ShopSource.start, ShopSource.stop

def talking_start(self, props):
    start(self, props)
    talk("start")
    thread = threading.Thread(target=talk, args=("thread",))
    thread.start()
    thread.join()

def talking_stop(self):
    talk("stop")
    stop(self)

ShopSource.start, ShopSource.stop = talking_start, talking_stop
"""


@pytest.fixture
def log_file(caplog):
    """What a worker would write, without the time."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(log_formatter("text"))
    logging.getLogger().addHandler(handler)
    caplog.set_level("INFO")
    yield lambda: [line.partition("] ")[2] for line in stream.getvalue().splitlines()]
    logging.getLogger().removeHandler(handler)


def test_what_a_connector_says_is_logged_with_its_name_until_the_end(world, context, log_file):
    """At a level that was set while its process ran; printed lines of C code lack the name."""
    shop = locations.connector(world.root)
    with (shop.path / "shop_plugin.py").open("a") as file:
        file.write(TALKING)
    connector = world.open(name="early-1")
    set_level("shop", logging.DEBUG)
    world.hosts.set_level("shop", logging.DEBUG)
    connector.start(context)
    connector.stop()
    world.hosts.close()
    set_level("shop", logging.NOTSET)
    logged = [line for line in log_file() if "(shop.talk)" in line]
    printed = [line for line in log_file() if "(plugwright.output)" in line]
    assert logged == [
        f"{level.upper()} [early-1|worker] {place} {level} (shop.talk)"
        for place in ("start", "thread", "stop")
        for level in ("debug", "warning")
    ]
    assert [(line.partition("host")[0], line.split()[-2]) for line in printed[-2:]] == [
        ("INFO [early-1|worker] ", "printed"),
        ("INFO ", "wrote"),
    ]


def test_a_process_that_starts_later_has_the_levels_of_the_driver(world, context, caplog):
    """Also those that were set for loggers of plugins."""
    shop = locations.connector(world.root)
    with (shop.path / "shop_plugin.py").open("a") as file:
        file.write(TALKING)
    set_level("shop", logging.ERROR)
    world.open().start(context)
    world.hosts.close()
    set_level("shop", logging.NOTSET)
    assert "start warning" not in caplog.text


def test_pythons_idioms_work_in_a_plugin(world, context):
    """Pickles, dataclasses, resources, metadata, late imports, processes of its own."""
    locations.idioms(world.root)
    connector = world.open()
    connector.start(context)
    (config,) = connector.tasks(1).configs
    assert json.loads(config["driver"]) == locations.IDIOMS_WORK


@pytest.mark.parametrize("how", ["stopped", "killed"])
def test_what_a_plugin_has_started_ends_with_its_host(world, context, how):
    """The whole group is ended."""
    shop = locations.connector(world.root)
    with (shop.path / "shop_plugin.py").open("a") as file:
        file.write(
            "import subprocess\n"
            "child = subprocess.Popen(['sleep', '600'])\n"
            "ShopSource.task_configs = lambda self, most: [{'child': str(child.pid)}]\n"
        )
    connector = world.open()
    connector.start(context)
    child = int(connector.tasks(1).configs[0]["child"])
    if how == "killed":
        os.kill(connector.pids[0], signal.SIGKILL)
    else:
        connector.stop()
    assert gone(child)


def provided(world, path):
    """What a provider of a location says."""
    locations.provider(world.root)
    plugins = Plugins.service_load([world.root])
    world.hosts = PluginHosts(plugins)
    found = provider_class(plugins.find("ShopProvider", CONFIG_PROVIDER), world.hosts)
    properties = {
        "config.providers": "vault",
        "config.providers.vault.class": "ShopProvider",
        "config.providers.vault.param.suffix": "!",
    }
    with config_providers(properties, lambda _: found) as providers:
        return ConfigTransformer(providers).transform({"a": f"${{vault:{path}:key}}"}).data["a"]


def test_a_config_provider_of_a_location_is_asked_in_its_own_process(world):
    """It sees its own dependency; this process does not."""
    assert provided(world, "secret") == "secret-9.0!"
    assert "vault_plugin" not in sys.modules


def test_a_config_provider_that_fails_is_named(world):
    """With its version, location and phase."""
    with pytest.raises(PluginError, match=r"ShopProvider 1.0 failed in get: no such path"):
        provided(world, "bad")


FORMATTED = (
    "from plugwright import ConfigDef, ConfigType\n"
    "ShopSource.config = lambda self: ConfigDef().define(\n"
    "    'format', ConfigType.CLASS, default=None, documentation='Any plugin.')\n"
)


@pytest.mark.parametrize(
    ("version", "expected"), [("1.0", []), ("2.0", ["format"])], ids=["shares", "conflicts"]
)
def test_a_setting_of_the_connector_may_name_a_plugin_that_can_share_its_process(
    world, version, expected
):
    """One that conflicts cannot be handed to it."""
    shop = locations.connector(world.root)
    with (shop.path / "shop_plugin.py").open("a") as file:
        file.write(FORMATTED)
    locations.converter(world.root, version=version)
    connector = world.open(format="press_plugin.ShopConverter")
    assert problems(connector) == expected


def test_a_process_is_shared_by_so_many_connectors_and_no_more(world, context, monkeypatch):
    """The next ones get another one, and a process ends with the last of its own."""
    monkeypatch.setattr(hosts_module, "_MOST", 2)
    locations.connector(world.root)
    connectors = [world.open() for _ in range(5)]
    for connector in connectors:
        connector.start(context)

    pids = [connector.pids[0] for connector in connectors]
    connectors[2].stop()
    again = world.open()
    connectors[0].stop()
    connectors[1].stop()

    assert pids[0] == pids[1] != pids[2] == pids[3] != pids[4]
    assert again.pids[0] == pids[2]
    assert gone(pids[0])
    assert [connector.tasks(1).configs[0]["topic"] for connector in connectors[3:]] == ["t", "t"]


def test_a_thousand_connectors_of_one_location_run(world, context):
    """Each can be asked, and no process has more than its share of them."""
    locations.connector(world.root)
    connectors = [world.open() for _ in range(1000)]
    for connector in connectors:
        connector.start(context)

    shares = Counter(connector.pids[0] for connector in connectors)

    assert max(shares.values()) <= 128
    assert {len(connector.tasks(1).configs) for connector in connectors} == {1}
    for connector in connectors:
        connector.stop()
    assert all(gone(pid) for pid in shares)


def fill(world, opened):
    """Open connectors in one process until it cannot take another one."""
    while len(opened) < 1000:
        opened.append(world.open(memory=256 << 20))


def test_the_one_connector_too_many_is_refused_and_the_others_go_on(world, context, monkeypatch):
    """A process that can start no further thread says so to that connector alone."""
    monkeypatch.setattr(hosts_module, "_MOST", 1000)
    locations.connector(world.root)
    first = world.open(memory=256 << 20)
    first.start(context)
    opened = []

    with pytest.raises(ConnectError) as raised:
        fill(world, opened)
    opened.pop().stop()
    world.open().start(context)

    assert raised.value.code == "plugin.host-full"
    assert first.tasks(1).configs
    assert {connector.pids for connector in opened} == {first.pids}


def test_a_full_process_has_room_for_another_connector_whenever_one_has_stopped(
    world, monkeypatch, caplog
):
    """Its thread's memory is available again, and a refused connector is not asked to stop."""
    monkeypatch.setattr(hosts_module, "_MOST", 1000)
    locations.connector(world.root)
    opened = []
    with pytest.raises(ConnectError):
        fill(world, opened)

    for _ in range(50):
        opened.pop().stop()
        opened.append(world.open())

    assert not caplog.records
