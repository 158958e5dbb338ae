"""Python, and the packages of the extras."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.metadata import PackageNotFoundError, metadata, packages_distributions, version
from typing import TYPE_CHECKING

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from plugwright.errors import SetupError
from plugwright.worker_python import require_worker_python
from plugwright_toolkit.checkup._finding import Condition, EnvironmentFinding

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_OLDEST = (3, 11)
_WORKERS = "spark workers"
_IMPORT_SECONDS = 7.0
_MOST_PROCESSES = 4
_COLLECTIONS = frozenset({"all", "dev"})
_REASON_LIMIT = 160
# Answers one line a module, at once, so that a module that hangs hides none before it.
_SCRIPT = """\
import importlib, sys
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
    except BaseException as error:
        reason = f"{type(error).__name__}: {error}"
    else:
        reason = ""
    print(name, *reason.split(), flush=True)
"""


def python(running: tuple[int, int] | None = None) -> Sequence[EnvironmentFinding]:
    """Whether this Python is new enough."""
    found = f"{platform.python_version()} at {sys.executable}"
    if (running or sys.version_info[:2]) >= _OLDEST:
        return [EnvironmentFinding("python", Condition.OK, found)]
    hint = "install Python 3.11 or newer and make a new environment with it"
    return [EnvironmentFinding("python", Condition.FAIL, found, hint)]


def worker_python(environ: Mapping[str, str] = os.environ) -> Sequence[EnvironmentFinding]:
    """Whether PySpark's workers find Plugwright, in sessions that others open.

    A worker of Plugwright names its own Python to Spark.
    """
    executable = environ.get("PYSPARK_PYTHON", "python3")
    try:
        require_worker_python(executable)
    except SetupError as error:
        return [EnvironmentFinding(_WORKERS, Condition.WARN, str(error), error.hint)]
    text = f"PySpark starts its workers with {executable}, which has Plugwright"
    return [EnvironmentFinding(_WORKERS, Condition.OK, text)]


def extras(import_seconds: float = _IMPORT_SECONDS) -> Sequence[EnvironmentFinding]:
    """Whether the packages of each extra are there, fit, and can be imported.

    Args:
        import_seconds: the time that imports may take.
    """
    own = metadata("plugwright")
    wanted = [Requirement(each) for each in own.get_all("Requires-Dist") or []]
    needs = {
        extra: [each for each in wanted if is_for(each, extra)]
        for extra in own.get_all("Provides-Extra") or []
        if extra not in _COLLECTIONS
    }
    versions = _versions(each.name for needed in needs.values() for each in needed)
    modules = modules_of([name for name, found in versions.items() if found])
    failures = import_failures(modules, import_seconds)
    return [judge_extra(*each, versions, failures) for each in needs.items()]


def is_for(requirement: Requirement, extra: str) -> bool:
    """Whether a distribution has a requirement on this machine because of an extra alone."""
    marker = requirement.marker
    return marker is not None and not marker.evaluate() and marker.evaluate({"extra": extra})


def _versions(names: Iterable[str]) -> dict[str, str]:
    """The version of each distribution, empty for what is not installed."""
    found = {}
    for name in names:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = ""
    return found


def import_failures(modules: Mapping[str, str], seconds: float) -> dict[str, str]:
    """Why distributions cannot be imported; they are, in a few processes side by side.

    Args:
        modules: the module to import for each distribution.
        seconds: the time that imports may take.
    """
    names = {module: name for name, module in modules.items()}
    count = min(os.cpu_count() or 1, _MOST_PROCESSES)
    shares = [each for n in range(count) if (each := [*names][n::count])]
    imported = partial(_imported, seconds=seconds)
    with ThreadPoolExecutor(count) as pool:
        lines = [line for found in pool.map(imported, shares) for line in found]
    failures = dict.fromkeys(modules, f"not imported within {seconds:g} s")
    for line in lines:
        module, _, reason = line.partition(" ")
        if module in names:
            failures[names[module]] = reason[:_REASON_LIMIT]
    return {name: reason for name, reason in failures.items() if reason}


def _imported(modules: Sequence[str], seconds: float) -> Sequence[str]:
    """A line for each module that was imported in time, or could not be."""
    try:
        text = subprocess.run(  # noqa: S603  # our own interpreter
            [sys.executable, "-P", "-c", _SCRIPT, *modules],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
            check=False,
        ).stdout
    except subprocess.TimeoutExpired as error:
        text = error.stdout or b""
    return text.decode(errors="replace").splitlines()


def modules_of(names: Sequence[str]) -> dict[str, str]:
    """The module to import for each distribution: that of its name, else its first."""
    provided: dict[str, list[str]] = {}
    for module, distributions in packages_distributions().items():
        for each in distributions:
            provided.setdefault(canonicalize_name(each), []).append(module)
    found = {}
    for name in names:
        likely = name.replace("-", "_")
        public = sorted(m for m in provided.get(canonicalize_name(name), []) if m[0] != "_")
        found[name] = likely if likely in public or not public else public[0]
    return found


def judge_extra(
    extra: str,
    needed: Sequence[Requirement],
    versions: Mapping[str, str],
    failures: Mapping[str, str],
) -> EnvironmentFinding:
    """Judge an extra by the state of its packages.

    Args:
        extra: its name.
        needed: its requirements.
        versions: of the installed distributions; empty for missing ones.
        failures: why distributions cannot be imported.
    """
    install = f"pip install 'plugwright[{extra}]'"
    name = f"extra {extra}"
    missing = [each.name for each in needed if not versions[each.name]]
    if missing:
        return EnvironmentFinding(
            name, Condition.WARN, f"not installed: {', '.join(missing)}", install
        )
    unfit = [each for each in needed if not each.specifier.contains(versions[each.name], True)]
    if unfit:
        found = ", ".join(f"{e.name} {versions[e.name]}, wanted {e.specifier}" for e in unfit)
        return EnvironmentFinding(name, Condition.FAIL, f"does not fit: {found}", install)
    failed = [f"{each.name}: {failures[each.name]}" for each in needed if each.name in failures]
    if failed:
        hint = f"{install} --force-reinstall"
        return EnvironmentFinding(
            name, Condition.FAIL, f"cannot be imported: {'; '.join(failed)}", hint
        )
    found = ", ".join(f"{each.name} {versions[each.name]}" for each in needed)
    return EnvironmentFinding(name, Condition.OK, found)
