"""Operators on resources: not closed, left behind, blocked or exposed."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from plugwright_conformance.mutation.mutation_operator import operator

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from plugwright_conformance.mutation.module_code import Edits, ModuleCode

__all__ = ["OPERATORS"]

_ENDS = {"close", "join", "shutdown", "unlink", "release", "cancel", "stop", "terminate", "kill"}
_SIGNALS = {"set", "clear", "notify", "notify_all"}
_WAITS = {"wait", "sleep", "select"}
_HOUR = "3600"


def _at_entries(code: ModuleCode, names: Collection[str], text: str) -> Iterator[Edits]:
    """Put lines into the methods of these names."""
    for function in code.functions:
        if function.name in names and code.class_of(function) is not None:
            yield code.at_entry(function, text)


@operator
def skip_close(code: ModuleCode) -> Iterator[Edits]:
    """Leaves open what it has opened (redpanda-data/connect#1967)."""
    for node in code.call_statements(*_ENDS):
        yield code.without(node)


@operator
def skip_signal(code: ModuleCode) -> Iterator[Edits]:
    """Does not tell those who wait, or never takes it back."""
    for node in code.call_statements(*_SIGNALS):
        yield code.without(node)


@operator
def skip_with(code: ModuleCode) -> Iterator[Edits]:
    """Works without its lock, or leaves open what a block would close."""
    for node in code.nodes:
        if not isinstance(node, ast.With) or len(node.items) != 1:
            continue
        item = node.items[0]
        value = code.source(item.context_expr)
        (head,) = code.replace(item.context_expr, "X")
        start, end = code.span(node)[0], head.end
        if item.optional_vars is not None:
            if not isinstance(item.optional_vars, ast.Name):
                continue
            value = f"({item.optional_vars.id} := {value})"
            end = code.span(item.optional_vars)[1]
        yield (type(head)(start, end, f"if ({value}) is not ..."),)


@operator
def leak_thread(code: ModuleCode) -> Iterator[Edits]:
    """Starts a thread that never ends (GoogleCloudPlatform/pubsub#204)."""
    line = (
        '(lambda t: t.Thread(target=t.Event().wait, daemon=True).start())(__import__("threading"))'
    )
    yield from _at_entries(code, {"start", "put", "poll"}, line)


@operator
def leak_handle(code: ModuleCode) -> Iterator[Edits]:
    """Opens something with every call, and never closes it (redpanda-data/connect#1967)."""
    line = 'self.leaked = [*getattr(self, "leaked", ()), open("/dev/null", "rb")]'
    yield from _at_entries(code, {"start", "put", "poll", "flush"}, line)


@operator
def leak_child(code: ModuleCode) -> Iterator[Edits]:
    """Starts a process that outlives the task."""
    line = 'self.child = __import__("subprocess").Popen(["sleep", "60"])'
    yield from _at_entries(code, {"start"}, line)


@operator
def leak_file(code: ModuleCode) -> Iterator[Edits]:
    """Leaves a temporary file behind with every call."""
    line = '__import__("os").close(__import__("tempfile").mkstemp()[0])'
    yield from _at_entries(code, {"start", "put", "poll"}, line)


@operator
def log_settings(code: ModuleCode) -> Iterator[Edits]:
    """Logs its settings, with the passwords (confluentinc/kafka-connect-jdbc#791)."""
    if code.secretive:
        yield from _show(code, '__import__("logging").getLogger(__name__).info("%s", {})')


@operator
def print_settings(code: ModuleCode) -> Iterator[Edits]:
    """Prints how it connects (airbytehq/airbyte#26419)."""
    if code.secretive:
        yield from _show(code, "print({})")


@operator
def raise_with_settings(code: ModuleCode) -> Iterator[Edits]:
    """Shows its settings in an error (confluentinc/kafka-connect-jdbc#420)."""
    if code.secretive:
        for node in code.nodes:
            function = code.function_of(node)
            if (
                isinstance(node, ast.Raise)
                and isinstance(node.exc, ast.Call)
                and node.exc.args
                and function is not None
                and any(each.arg in {"props", "url"} for each in function.args.args)
            ):
                name = next(a.arg for a in function.args.args if a.arg in {"props", "url"})
                yield code.replace(node.exc.args[0], f"f'with {{{name}}}'")


def _show(code: ModuleCode, line: str) -> Iterator[Edits]:
    for function in code.functions:
        for argument in function.args.args:
            if argument.arg in {"props", "config", "settings", "url"}:
                yield code.at_entry(function, line.replace("{}", argument.arg))


@operator
def block(code: ModuleCode) -> Iterator[Edits]:
    """Stays in a call for an hour (confluentinc/kafka-connect-jdbc#947)."""
    names = {"start", "stop", "put", "poll", "flush", "pre_commit", "commit", "open", "close"}
    yield from _at_entries(code, names, f'__import__("time").sleep({_HOUR})')


@operator
def wait_for_itself(code: ModuleCode) -> Iterator[Edits]:
    """Takes a lock that it holds already, and stays there."""
    for node in code.nodes:
        if isinstance(node, ast.With) and isinstance(node.items[0].context_expr, ast.Attribute):
            held = code.source(node.items[0].context_expr)
            if "lock" in held:
                yield code.before(node.body[0], f"{held}.acquire()")


@operator
def do_not_wait(code: ModuleCode) -> Iterator[Edits]:
    """Asks again at once when there was nothing (confluentinc/kafka-connect-jdbc#1691)."""
    yield from _waiting(code, "0")


@operator
def wait_too_long(code: ModuleCode) -> Iterator[Edits]:
    """Waits for an hour where a moment was meant (confluentinc/kafka-connect-jdbc#947)."""
    yield from _waiting(code, _HOUR)


def _waiting(code: ModuleCode, seconds: str) -> Iterator[Edits]:
    for node, _, _ in code.method_calls(*_WAITS):
        if node.args:
            yield code.replace(node.args[-1], seconds)


OPERATORS = (
    skip_close,
    skip_signal,
    skip_with,
    leak_thread,
    leak_handle,
    leak_child,
    leak_file,
    log_settings,
    print_settings,
    raise_with_settings,
    block,
    wait_for_itself,
    do_not_wait,
    wait_too_long,
)
