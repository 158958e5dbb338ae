"""What a browser would make of a page: its elements, its text, its forms."""

from __future__ import annotations

from html.parser import HTMLParser
from urllib.parse import urlencode

FORM = {
    "content-type": "application/x-www-form-urlencoded",
    "host": "worker:8083",
    "origin": "http://worker:8083",
}
"""What a browser sends with a form of the page itself."""


class Page(HTMLParser):
    """A page, parsed by the standard library."""

    def __init__(self, answer):
        super().__init__()
        self.status = answer.status
        self.elements = []
        self.text = ""
        self.feed(answer.body.decode())
        self.close()

    def handle_starttag(self, tag, attrs):
        """Remember it."""
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        """Remember it."""
        self.text += data

    @property
    def tags(self):
        """The names of all elements."""
        return {tag for tag, _ in self.elements}

    def values(self, name):
        """What stands in the fields of a name."""
        return [found.get("value") for _, found in self.elements if found.get("name") == name]

    def described(self, name):
        """The ids of what is said about a field."""
        found = next(found for _, found in self.elements if found.get("name") == name)
        return found["aria-describedby"].split()

    def links(self):
        """Where links lead."""
        return [found["href"] for tag, found in self.elements if tag == "a"]


def send(call, path, fields, headers=None):
    """Send a form as a browser does."""
    return call("POST", path, urlencode(fields).encode(), {**FORM, **(headers or {})})
