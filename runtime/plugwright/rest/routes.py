"""Assigns endpoints to listeners."""

from __future__ import annotations

from plugwright.rest._connectors import CONNECTOR_ROUTES
from plugwright.rest._lifecycle import LIFECYCLE_ROUTES
from plugwright.rest._loggers import LOGGER_ROUTES
from plugwright.rest._plugins import PLUGIN_ROUTES
from plugwright.rest._positions import POSITION_ROUTES
from plugwright.rest._worker import OPERATION_ROUTES, WORKER_ROUTES

__all__ = ["ADMIN_ROUTES", "LOGGER_ROUTES", "MAIN_ROUTES"]

MAIN_ROUTES = (
    *WORKER_ROUTES,
    *CONNECTOR_ROUTES,
    *LIFECYCLE_ROUTES,
    *POSITION_ROUTES,
    *PLUGIN_ROUTES,
    *OPERATION_ROUTES,
)
"""The endpoints on ``listeners``."""

ADMIN_ROUTES = (*LOGGER_ROUTES, *OPERATION_ROUTES)
"""The endpoints on ``admin.listeners``, if they are separate."""
