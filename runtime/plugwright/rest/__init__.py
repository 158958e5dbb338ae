"""The Connect REST API: endpoints, status codes and texts of Kafka Connect, for any herder."""

from __future__ import annotations

from plugwright.rest._basic_auth import BasicAuthSecurityRestExtension
from plugwright.rest._config import REST_CONFIG
from plugwright.rest._errors import RestError
from plugwright.rest._extension import ClusterState, RestExtensionContext
from plugwright.rest._herder import HerderApi
from plugwright.rest._listener import Listener, parse_listener
from plugwright.rest._server import RestServer
from plugwright.rest._settings import RestSettings, TlsSettings
from plugwright.rest._values import ErrorMessage
from plugwright.rest.exchange import RestRequest, RestResponse
from plugwright.rest.header_rules import HeaderRule
from plugwright.rest_extension import RestExtension

__all__ = [
    "REST_CONFIG",
    "BasicAuthSecurityRestExtension",
    "ClusterState",
    "ErrorMessage",
    "HeaderRule",
    "HerderApi",
    "Listener",
    "RestError",
    "RestExtension",
    "RestExtensionContext",
    "RestRequest",
    "RestResponse",
    "RestServer",
    "RestSettings",
    "TlsSettings",
    "parse_listener",
]
