"""Pages for operators under ``/console``, made on the server; each works through the REST API."""

from __future__ import annotations

from plugwright.rest.console._routes import console_routes

__all__ = ["console_routes"]
