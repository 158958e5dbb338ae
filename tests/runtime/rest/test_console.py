"""The console over a pretended herder: pages, buttons, and who may press them."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest
from tests.runtime.rest.credentials import basic_credentials
from tests.runtime.rest.fakes import FakeHerder, client_of
from tests.runtime.rest.html_pages import FORM, Page, send

from plugwright.config import properties_text
from plugwright.control_plane import (
    ConnectorOffset,
    MetricValue,
    RequestTargetError,
    RestartRequest,
    TaskId,
    TaskState,
)
from plugwright.plugins import (
    SINK,
    SOURCE,
    Diagnostic,
    DiagnosticLevel,
    Location,
    PluginDescriptor,
    Plugins,
)
from plugwright.rest import BasicAuthSecurityRestExtension

PAGES = [
    "/console",
    "/console/connector?name=logs",
    "/console/new",
    "/console/edit?name=logs",
    "/console/edit?class=FileStreamSource",
    "/console/offsets?name=logs",
    "/console/plugins",
    "/console/plugin?class=shop.ShopSource",
]
HOSTILE = "<script>alert(1)</script>\"' onload=x &amp; {{7*7}} \u202e/../%2f"
KNOWN = (
    "html head meta title link body a header nav ul li main h1 h2 h3 p span div table thead "
    "tbody tr th td code pre form input button label select option textarea details summary "
    "datalist dl dt dd strong em br "
)
"""Every element that the templates have; nothing that runs, loads or sends by itself."""


def _plugins(name="shop.ShopSource", obstacle="", version="1.4"):
    module, _, qualname = name.partition(".")
    where = Location(Path("/plugins/shop"))
    found = PluginDescriptor(SOURCE, module, qualname, "shop", "shop", version, where, obstacle)
    finding = Diagnostic(
        DiagnosticLevel.WARNING, "ep-syntax", "/plugins/shop", "line is odd", hint="fix it"
    )
    elsewhere = Diagnostic(DiagnosticLevel.NOTE, "ep-empty", "/plugins/other", "nothing here")
    return Plugins([where], [found], [finding, elsewhere])


@pytest.fixture
def console(herder):
    """A client of a worker that has everything that the console can show."""
    return client_of(herder, figures=_figures, plugins=_plugins())


def _figures():
    tags = {"connector": "logs", "task": "0"}
    return [
        MetricValue("source-task-metrics", "source-record-write-rate", tags, 1234.56),
        MetricValue("source-task-metrics", "source-record-poll-rate", tags, 99.9),
        MetricValue("connect-worker-metrics", "task-count", {}, 2.0),
    ]


@pytest.mark.parametrize("path", PAGES)
def test_every_page_is_html_without_script_that_nobody_frames(console, path):
    """Whatever it says of itself is in its headers, where no content can change it."""
    answer = console("GET", path)

    assert answer.status == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["content-security-policy"] == (
        "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'"
    )
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"
    assert Page(answer).tags <= {*KNOWN.split()}


def test_the_style_is_a_file_of_its_own(console):
    """Because the pages allow no inline style."""
    answer = console("GET", "/console/console.css")

    assert (answer.status, answer.headers["content-type"]) == (200, "text/css; charset=utf-8")


def test_the_first_page_shows_states_tasks_and_rates(console):
    """Of each connector, with a link to it."""
    page = Page(console("GET", "/console/"))

    assert "/console/connector?name=logs" in page.links()
    words = page.text.split()
    assert {"RUNNING", "FileStreamSource", "1,234.6", "source"} <= set(words)
    assert "1 failed, 1 running" in page.text


def test_a_connector_shows_its_tasks_and_why_one_failed(console):
    """State, worker, rate and trace, and the topics."""
    page = Page(console("GET", "/console/connector?name=logs"))

    assert {"FAILED", "w:8083", "boom", "1,234.6", "lines"} <= set(page.text.split())
    assert page.values("action") == [
        "pause",
        "resume",
        "stop",
        "restart",
        "restart-failed",
        "restart-all",
        "restart-task",
        "restart-task",
        "delete",
    ]


def test_topics_are_left_out_where_they_are_not_tracked(herder):
    """The page does not fail for it."""
    call = client_of(herder, {"topic.tracking.enable": "false"})

    page = Page(call("GET", "/console/connector?name=logs"))

    assert page.status == 200
    assert "Topics" not in page.text


@pytest.mark.parametrize(
    ("fields", "asked"),
    [
        ({"action": "pause"}, ("pause_connector", "logs")),
        ({"action": "resume"}, ("resume_connector", "logs")),
        ({"action": "stop"}, ("stop_connector", "logs")),
        ({"action": "restart"}, ("restart_connector", "logs")),
        (
            {"action": "restart-failed"},
            ("restart_connector_and_tasks", RestartRequest("logs", True, True)),
        ),
        (
            {"action": "restart-all"},
            ("restart_connector_and_tasks", RestartRequest("logs", False, True)),
        ),
        ({"action": "restart-task", "task": "1"}, ("restart_task", TaskId("logs", 1))),
        ({"action": "delete", "sure": "yes"}, ("delete_connector_config", "logs")),
    ],
    ids=lambda value: value.get("action") if isinstance(value, dict) else "",
)
def test_each_button_asks_the_herder_what_the_rest_api_asks(console, herder, fields, asked):
    """And sends the browser on, so that a reload does not do it twice."""
    answer = send(console, "/console/change", {"name": "logs", **fields})

    assert answer.status == 303
    assert herder.asked[0] == asked
    gone = fields["action"] == "delete"
    target = "../console?deleted=logs" if gone else f"connector?name=logs&done={fields['action']}"
    assert answer.headers["location"] == target


def test_nothing_is_deleted_or_reset_without_a_tick(console, herder):
    """One click is not enough for what cannot be undone."""
    deleted = send(console, "/console/change", {"name": "logs", "action": "delete"})
    reset = send(console, "/console/offsets", {"name": "logs", "action": "reset"})

    assert (deleted.status, reset.status) == (400, 400)
    asked = {name for name, *_ in herder.asked}
    assert asked <= {"connector_status", "connector_offsets", "task_status"}


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil"},
        {"origin": "null"},
        {"origin": "http://worker:8084"},
        {"origin": ""},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "none"},
    ],
    ids=repr,
)
@pytest.mark.parametrize("path", ["change", "edit", "offsets"])
def test_a_form_of_another_page_changes_nothing(console, herder, path, headers):
    """A browser sends passwords along for anybody's page; it also says whose page it is."""
    fields = {"name": "logs", "action": "pause", "offsets": "{}"}

    answer = send(console, f"/console/{path}", fields, headers)

    assert (answer.status, herder.asked) == (403, [])


@pytest.mark.parametrize("path", ["change", "edit", "offsets"])
def test_a_form_without_a_host_changes_nothing(console, herder, path):
    """There is nothing to compare its page with, so it is no request."""
    answer = send(console, f"/console/{path}", {"name": "logs", "action": "pause"}, {"host": ""})

    assert (answer.status, herder.asked) == (400, [])


def test_a_browser_that_vouches_for_the_page_is_enough(console, herder):
    """A proxy in front may have changed the host."""
    headers = {"host": "inner:1", "sec-fetch-site": "same-origin"}

    assert (
        send(console, "/console/change", {"name": "logs", "action": "stop"}, headers).status == 303
    )
    assert herder.asked == [("stop_connector", "logs")]


def test_looking_changes_nothing(console, herder):
    """A link cannot press a button, and JSON is no form."""
    looked = console("GET", "/console/change?name=logs&action=stop")
    sent = console("POST", "/console/change", {"name": "logs", "action": "stop"}, {"host": "a"})

    assert (looked.status, sent.status, herder.asked) == (405, 415, [])


@pytest.mark.parametrize("path", [*PAGES, "/console/console.css"])
def test_it_is_guarded_as_the_rest_api_is(tmp_path, path):
    """By the same extension, before anything is looked up."""
    file = tmp_path / "credentials.properties"
    file.write_text("alice=wonder\n", encoding="utf-8")
    extension = BasicAuthSecurityRestExtension()
    extension.configure({"rest.basic.auth.credentials.file": str(file)})
    herder = FakeHerder()
    call = client_of(herder, extensions=[extension], plugins=_plugins())

    refused = call("GET", path)

    assert (refused.status, herder.asked) == (401, [])
    assert refused.headers["www-authenticate"] == 'Basic realm="connect"'
    assert call("GET", path, headers=basic_credentials("alice:wonder")).status == 200


@pytest.mark.parametrize("path", PAGES)
def test_it_can_be_turned_off_and_is_not_on_listeners_of_administrators(herder, path):
    """Then the paths are unknown, as any other."""
    off = client_of(herder, {"console.enable": "false"}, plugins=_plugins())
    admin = client_of(herder, {"admin.listeners": "http://127.0.0.1:0"}, admin=True)

    assert (off("GET", path).status, admin("GET", path).status) == (404, 404)


@pytest.mark.parametrize("page", ["", "/connector", "/offsets", "/edit"])
def test_a_hostile_name_stays_text(herder, page):
    """In every page that shows it: no element, no attribute, no template, no turned direction."""
    herder.configs = {HOSTILE: {"connector.class": HOSTILE, HOSTILE: HOSTILE}}
    call = client_of(herder)

    shown = Page(call("GET", f"/console{page}?name={quote(HOSTILE, safe='')}"))

    assert shown.status == 200
    assert shown.tags <= {*KNOWN.split()}
    assert not [name for _, found in shown.elements for name in found if name.startswith("on")]
    assert HOSTILE.replace("\u202e", "\\u202e") in shown.text
    assert "\u202e" not in shown.text.replace(properties_text({HOSTILE: HOSTILE}), "")


def test_a_hostile_trace_stays_text(herder):
    """It comes from a plugin."""
    trace = "</pre><script>x</script>\n  at \x1b[1m"
    herder.task_status = lambda _: TaskState(1, "FAILED", "w:8083", trace)

    page = Page(client_of(herder)("GET", "/console/connector?name=logs"))

    assert page.tags <= {*KNOWN.split()}
    assert "</pre><script>x</script>\n  at \\x1b[1m" in page.text


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/console/connector?name=nope", 404),
        ("/console/connector", 404),
        ("/console/edit", 404),
        ("/console/plugin?class=nope", 404),
    ],
)
def test_what_is_not_there_is_a_page_too(console, path, status):
    """With the words of the REST API."""
    page = Page(console("GET", path))

    assert page.status == status
    assert "That did not work" in page.text


def test_another_workers_connector_is_asked_for_there(console, herder):
    """By the forwarding of the REST API, whose message says when no owner is known."""
    herder.error = RequestTargetError("elsewhere", None)

    page = Page(send(console, "/console/change", {"name": "logs", "action": "pause"}))

    assert page.status == 409
    assert "no known leader URL" in page.text


def test_offsets_are_altered_as_typed(console, herder):
    """The endpoint reads them; its answer is shown."""
    text = '{"offsets": [{"partition": {"filename": "a"}, "offset": {"position": 7}}]}'

    answer = send(console, "/console/offsets", {"name": "logs", "action": "alter", "offsets": text})

    page = Page(answer)
    changed = [ConnectorOffset({"filename": "a"}, {"position": 7})]
    assert ("alter_connector_offsets", "logs", changed) in herder.asked
    assert "have been altered successfully" in page.text


def test_offsets_are_reset_after_a_tick(console, herder):
    """All of them."""
    fields = {"name": "logs", "action": "reset", "sure": "yes"}

    assert send(console, "/console/offsets", fields).status == 200
    assert ("alter_connector_offsets", "logs", None) in herder.asked


def test_offsets_that_cannot_be_read_stay_in_the_form(console):
    """So that a comma too few costs no typing."""
    fields = {"name": "logs", "action": "alter", "offsets": '{"offsets": [<b>'}

    page = Page(send(console, "/console/offsets", fields))

    assert page.status == 500
    assert "not valid JSON" in page.text
    assert '{"offsets": [<b>' in page.text
    assert page.tags <= {*KNOWN.split()}


def test_plugins_show_versions_locations_and_what_is_wrong(herder):
    """Those that nobody can use, too."""
    call = client_of(herder, plugins=_plugins(obstacle="needs Python 3.99", version="9.8.7"))

    page = Page(call("GET", "/console/plugins"))

    assert "/console/plugin?class=shop.ShopSource" in page.links()
    for text in ("9.8.7", "/plugins/shop", "needs Python 3.99", "ep-syntax", "fix it", "ep-empty"):
        assert text in page.text


def test_a_plugin_shows_its_names_and_the_findings_about_its_place(console):
    """And not those about other places."""
    page = Page(console("GET", "/console/plugin?class=shop.ShopSource"))

    assert "ep-syntax" in page.text
    assert "ep-empty" not in page.text
    assert "plugwright explain shop.ShopSource" in page.text


def test_of_several_copies_all_are_shown(herder):
    """With the version and the location of each."""
    places = [Location(Path(f"/plugins/{name}")) for name in "ab"]
    found = [
        PluginDescriptor(SINK, "shop", "ShopSink", "shop", "shop", version, place)
        for version, place in zip(("1.0", "2.0"), places, strict=True)
    ]
    call = client_of(herder, plugins=Plugins(places, found, []))

    page = Page(call("GET", "/console/plugin?class=shop.ShopSink"))

    for text in ("1.0", "2.0", "/plugins/a", "/plugins/b"):
        assert text in page.text


def test_a_form_that_is_no_form_is_refused(console, herder):
    """Bytes that are no text, and more fields than any connector has."""
    broken = console("POST", "/console/change", b"name=\xff", FORM)
    many = console("POST", "/console/change", b"a=1&" * 6000 + b"name=logs", FORM)

    assert (broken.status, many.status, herder.asked) == (400, 400, [])
