"""Plugins that extend the API."""

from __future__ import annotations

import pytest
from tests.runtime.rest.fakes import client_of

from plugwright.errors import ConnectError
from plugwright.rest import RestExtension, RestResponse


class Quota(RestExtension):
    """Refuses deletion, and shows how many connectors there are."""

    def register(self, context):
        """Add a filter and a resource."""
        self._cluster = context.cluster_state
        context.add_filter(self._examine)
        context.add_resource("get", "/quota/{team}", self._show, summary="Show a quota")

    def _examine(self, request):
        if request.method == "DELETE":
            return RestResponse.json({"no": request.path}, 403)
        return None

    def _show(self, request):
        return RestResponse.json({request["team"]: len(self._cluster.connectors())})


def test_a_filter_sees_every_request_first(herder):
    """Even those that have no endpoint."""
    answer = client_of(herder, extensions=[Quota()])("DELETE", "/connectors/logs")

    assert (answer.status, answer.json) == (403, {"no": "/connectors/logs"})
    assert herder.asked == []


class Closed(RestExtension):
    """Lets nobody in."""

    def register(self, context):
        """Add a filter."""
        context.add_filter(lambda _: RestResponse.text("closed", 503))


def test_filters_run_in_the_order_of_their_extensions(herder):
    """The first one that answers is heard."""
    call = client_of(herder, extensions=[Quota(), Closed()])

    answers = call.all([("DELETE", "/connectors/logs"), ("GET", "/connectors")])

    assert [(answer.status, answer.body) for answer in answers] == [
        (403, b'{"no":"/connectors/logs"}'),
        (503, b"closed"),
    ]


class Watching(RestExtension):
    """Remembers what it saw."""

    def register(self, context):
        """Add a filter."""
        self.seen = []
        context.add_filter(lambda request: self.seen.append((request.method, request.path)))


def test_a_filter_sees_a_head_as_a_get(herder):
    """What is forbidden to read is forbidden to measure."""
    extension = Watching()

    client_of(herder, extensions=[extension])("HEAD", "/connectors/a%20b")

    assert extension.seen == [("GET", "/connectors/a%20b")]


def test_a_filter_lets_requests_pass(herder):
    """By answering nothing."""
    assert client_of(herder, extensions=[Quota()])("GET", "/connectors").json == ["logs"]


def test_a_filter_guards_admin_listeners_too(herder):
    """Unlike Kafka's, which stay open."""
    call = client_of(herder, extensions=[Quota()], admin=True)

    assert call("DELETE", "/admin/loggers").status == 403


def test_a_resource_is_served(herder):
    """With the parts of its path."""
    assert client_of(herder, extensions=[Quota()])("GET", "/quota/a%20b").json == {"a b": 1}


def test_a_resource_is_documented(herder):
    """Like every other endpoint."""
    document = client_of(herder, extensions=[Quota()])("GET", "/openapi.json").json

    assert document["paths"]["/quota/{team}"]["get"]["summary"] == "Show a quota"


def test_an_extension_has_no_version_by_itself():
    """As Kafka says of plugins without one."""
    assert Quota().version() == "undefined"


class Usurper(RestExtension):
    """Wants a path that the API has."""

    def register(self, context):
        """Take it."""
        context.add_resource("GET", "/connectors/{name}", lambda _: RestResponse(200))


def test_a_resource_cannot_take_an_endpoint_of_the_api(herder):
    """It would never be reached."""
    with pytest.raises(ConnectError) as caught:
        client_of(herder, extensions=[Usurper()])

    assert str(caught.value) == "GET /connectors/{name} is an endpoint already"
    assert caught.value.code == "rest.endpoint-taken"
