"""Progress moves on a terminal and is a plain log elsewhere."""

from __future__ import annotations

import io
from contextlib import suppress
from pathlib import Path

import pytest
from rich.console import Console

from plugwright_conformance.report import ProgressReporter


def console(*, terminal=False):
    """A console of 100 columns that remembers what was printed."""
    return Console(file=io.StringIO(), width=100, force_terminal=terminal, color_system=None)


def printed(results, progress, environ=None, directory=None):
    """Run through the whole protocol and return what the summary's console got."""
    out = console()
    with ProgressReporter(out, progress, environ or {}) as reporter:
        reporter.phase("starting Kafka")
        reporter.started("orders-sink", len(results.results))
        for result in results.results:
            reporter.check_started(result.id, result.title)
            reporter.check_finished(result)
        reporter.finished(results, directory)
    return out.file.getvalue()


def test_log_has_one_line_for_each_check(results):
    """Without a terminal each finished check is one line."""
    progress = console()

    printed(results, progress)

    assert progress.file.getvalue().splitlines() == [
        "- starting Kafka",
        "orders-sink: 8 checks",
        "[1/8] passed          PLG-PKG-01 Installs alone and imports (250 ms)",
        "[2/8] passed          PLG-PKG-10 Licence is stated and shipped (250 ms)",
        "[3/8] failed          SNK-OFF-02 Committed offset is never beyond the durable mark (1.5 s)",  # noqa: E501  # a log line
        "[4/8] passed          CON-DLV-01 Without faults, output equals input (250 ms)",
        "[5/8] error           CON-DLV-03 Zero loss over the crash-point sweep (250 ms)",
        "[6/8] not run         CON-DLV-06 The same on live Kafka (250 ms)",
        "[7/8] not applicable  CON-DLV-11 Replay of a batch is idempotent (250 ms)",
        "[8/8] waived          PLG-DOC-04 The readme has a quick start (250 ms)",
    ]


def test_summary_follows_on_its_own_console(results):
    """Results go where results belong, progress elsewhere."""
    text = printed(results, console(), directory=Path("build"))

    assert "level      C1 Discoverable" in text
    assert "report     build/report.html" in text
    assert "[1/8]" not in text


def test_terminal_gets_a_moving_line(results):
    """On a terminal the cursor is hidden while a line moves, and shown again."""
    progress = console(terminal=True)

    printed(results, progress)

    text = progress.file.getvalue()
    assert text.count("\x1b[?25l") == text.count("\x1b[?25h") == 1
    assert "FAIL SNK-OFF-02 rev 1 [must, C2]" in text
    assert "[1/8]" not in text


def test_continuous_integration_gets_plain_lines(results):
    """A terminal that a build server lends is treated as a log."""
    progress = console(terminal=True)

    printed(results, progress, {"CI": "true"})

    assert "\x1b" not in progress.file.getvalue()
    assert "[8/8] waived" in progress.file.getvalue()


def test_terminal_is_given_back_after_an_error():
    """Leaving the context shows the cursor again."""
    progress = console(terminal=True)

    with suppress(KeyboardInterrupt), ProgressReporter(console(), progress, {}) as reporter:
        reporter.started("orders-sink", 3)
        raise KeyboardInterrupt

    assert "\x1b[?25h" in progress.file.getvalue()


@pytest.mark.parametrize("terminal", [False, True])
def test_hostile_text_is_neutral_while_checks_run(hostile, terminal):
    """No control character of a plugin passes, moving or not."""
    progress = console(terminal=terminal)

    printed(hostile, progress)

    text = progress.file.getvalue()
    assert "\x1b[2J\x00" not in text
    assert "\u202e" not in text
    assert r"\x1b[2J" in text
    assert "\nPASS" not in text


def test_one_reporter_tells_of_two_runs(results):
    """Counting begins again with every plugin."""
    progress = console()

    with ProgressReporter(console(), progress, {}) as reporter:
        for _ in range(2):
            reporter.started("orders-sink", 8)
            reporter.check_finished(results.results[0])
            reporter.finished(results, None)

    assert progress.file.getvalue().count("[1/8] passed") == 2
