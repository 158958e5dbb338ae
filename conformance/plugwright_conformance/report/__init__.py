"""Reports of a run, for programs, build servers and people."""

from __future__ import annotations

from plugwright_conformance.report._badge import BadgeReport
from plugwright_conformance.report._files import WRITERS, write_reports
from plugwright_conformance.report._html import HtmlReport
from plugwright_conformance.report._json import JsonReport
from plugwright_conformance.report._junit import JUnitReport
from plugwright_conformance.report._markdown import MarkdownReport
from plugwright_conformance.report._note import CertificateNote
from plugwright_conformance.report._progress import ProgressReporter, RunListener
from plugwright_conformance.report._read import read_json
from plugwright_conformance.report._terminal import print_summary
from plugwright_conformance.report._writer import ReportWriter
from plugwright_conformance.report.neutral import one_line
from plugwright_conformance.report.wording import (
    failure_heading,
    failure_rows,
    headline,
    why_not_more,
)

__all__ = [
    "WRITERS",
    "BadgeReport",
    "CertificateNote",
    "HtmlReport",
    "JUnitReport",
    "JsonReport",
    "MarkdownReport",
    "ProgressReporter",
    "ReportWriter",
    "RunListener",
    "failure_heading",
    "failure_rows",
    "headline",
    "one_line",
    "print_summary",
    "read_json",
    "why_not_more",
    "write_reports",
]
