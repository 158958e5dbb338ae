"""Connectors made and changed by the console's form, with the real validation."""

from __future__ import annotations

import pytest
from tests.runtime.herder.served import Group, Service
from tests.runtime.rest.html_pages import Page, send

SOURCE = {"connector.class": "ShopSource", "shop.url": "http://shop"}
NEW = {"new": "yes", "connector.class": "ShopSource", "name": "orders", "state": "RUNNING"}
URL = "set:shop.url"


@pytest.fixture
def service(world, tmp_path, monkeypatch):
    """A fresh one, closed at the end."""
    monkeypatch.setattr("plugwright.herder.connector_offsets.GroupOffsets", Group)
    service = Service(world, tmp_path)
    yield service
    service.herder.close()


def test_a_new_connector_has_a_field_for_each_setting(service):
    """Of the connector and of the framework, each with what it is for."""
    page = Page(service.call("GET", "/console/edit?class=ShopSource"))

    assert {URL, "set:tasks.max", "set:transforms", "set:errors.tolerance"} <= {
        found.get("name") for _, found in page.elements
    }
    assert "Where." in page.text
    assert "to mend" not in page.text


def test_a_connector_is_created_by_the_form(service):
    """In the state that was chosen; empty fields are no settings."""
    fields = {**NEW, "state": "PAUSED", URL: "http://shop", "set:tasks.max": "", "action": "save"}

    answer = send(service.call, "/console/edit", fields)

    assert (answer.status, answer.headers["location"]) == (
        303,
        "connector?name=orders&done=created",
    )
    assert service.call("GET", "/connectors/orders/config").json == {**SOURCE, "name": "orders"}
    assert service.call("GET", "/connectors/orders/status").json["connector"]["state"] == "PAUSED"


@pytest.mark.parametrize(("action", "status"), [("check", 200), ("save", 400)])
def test_what_is_wrong_stands_beside_its_field(service, action, status):
    """Everything at once, what was typed is still there, and nothing is created."""
    fields = {**NEW, "set:tasks.max": "many", "action": action}

    page = Page(send(service.call, "/console/edit", fields))

    assert page.status == status
    assert page.values("set:tasks.max") == ["many"]
    for key in ("shop.url", "tasks.max"):
        about, errors = page.described(f"set:{key}")
        assert about.removesuffix("-about") == errors.removesuffix("-errors")
        assert ("ul", {"class": "errors", "id": errors}) in page.elements
    assert "Missing required configuration" in page.text
    assert "3 problems to mend" in page.text
    assert service.call("GET", "/connectors").json == []


def test_a_check_that_finds_nothing_saves_nothing(service):
    """It says so."""
    page = Page(send(service.call, "/console/edit", {**NEW, URL: "http://shop", "action": "check"}))

    assert "not saved yet" in page.text
    assert service.call("GET", "/connectors").json == []


def test_only_what_was_changed_is_saved(service):
    """A setting that was added meanwhile stays."""
    service.create("orders", {**SOURCE, "tasks.max": "1"})
    service.call("PATCH", "/connectors/orders/config", {"errors.tolerance": "all"})
    fields = {"new": "no", "name": "orders", URL: "http://other", "set:tasks.max": ""}

    answer = send(service.call, "/console/edit", {**fields, "action": "save"})

    assert answer.status == 303
    assert service.call("GET", "/connectors/orders/config").json == {
        "name": "orders",
        "connector.class": "ShopSource",
        "shop.url": "http://other",
        "errors.tolerance": "all",
    }


def test_a_name_that_is_taken_is_reported(service):
    """In the words of the REST API, with the form as it was."""
    service.create("orders", SOURCE)

    page = Page(send(service.call, "/console/edit", {**NEW, URL: "http://x", "action": "save"}))

    assert page.status == 400
    assert "already exists" in page.text
    assert page.values(URL) == ["http://x"]


def test_settings_without_a_field_are_kept_in_lines(service):
    """Such as those of transformations that are named but not there."""
    service.create("orders", {**SOURCE, "x.y": "a=b\nc"})
    page = Page(service.call("GET", "/console/edit?name=orders"))
    fields = {"new": "no", "name": "orders", URL: "http://shop", "other:x.y": ""}

    assert "x.y=a=b\\nc" in page.text
    fields["others"] = "x.y=a=b\\nc\r\nz=1\r\n"
    assert send(service.call, "/console/edit", {**fields, "action": "save"}).status == 303
    kept = service.call("GET", "/connectors/orders/config").json
    assert (kept["x.y"], kept["z"]) == ("a=b\nc", "1")


def test_an_unknown_class_is_an_error_page(service):
    """With the words of the REST API."""
    page = Page(service.call("GET", "/console/edit?class=NoSuch"))

    assert page.status >= 400
    assert "NoSuch" in page.text
