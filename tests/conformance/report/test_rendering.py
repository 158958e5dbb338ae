"""The page in a real browser: nothing is wider than a telephone, nor than a desk."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import replace

import pytest

from plugwright_conformance.evidence.outcome import TableCell
from plugwright_conformance.report import CertificateNote, HtmlReport

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
WIDTHS = (400, 1400)
FRAME = """<!doctype html><body>{frames}<script>
onload = () => document.body.textContent = JSON.stringify([...document.querySelectorAll("iframe")]
  .map(frame => frame.contentDocument.documentElement)
  .map(page => [page.clientWidth, page.scrollWidth, page.querySelectorAll("main > *").length]));
</script></body>"""


@pytest.fixture
def wide(results):
    """A run whose tables have long words, many columns and a certificate."""
    cells = [TableCell("faults", f"put: {'x' * 40}{n}", f"fault {n}", "8 held") for n in range(14)]
    check = replace(
        results.results[4], cells=(*cells, TableCell("types", "y" * 90, "values", "1 kept"))
    )
    others = [check if r.id == check.id else r for r in results.results]
    return replace(results, results=others, environment={"long": "z" * 400})


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
def test_page_fits_its_window(wide, tmp_path):
    """Tables scroll in their own frames; the page itself never moves sideways."""
    note = CertificateNote([("orders.whl", "sha256", "ab" * 32)], "SHA256:" + "c" * 43, "verify")
    (tmp_path / "page.html").write_bytes(HtmlReport(certificate=note).render(wide))
    frames = "".join(f'<iframe src="page.html" width="{w}"></iframe>' for w in WIDTHS)
    (tmp_path / "frame.html").write_text(FRAME.format(frames=frames))
    command = [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu"]
    command += ["--allow-file-access-from-files", f"--user-data-dir={tmp_path / 'profile'}"]
    command += ["--virtual-time-budget=5000", "--dump-dom", (tmp_path / "frame.html").as_uri()]

    dom = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout

    measured = json.loads(re.search(r"\[\[.*\]\]", dom).group())
    assert [scroll - client for client, scroll, _ in measured] == [0, 0]
    assert [parts for _, _, parts in measured] == [15, 15]
