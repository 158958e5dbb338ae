"""Checks of the package's metadata, manifest, versions and signatures."""

from __future__ import annotations

import inspect
from email.parser import Parser
from typing import TYPE_CHECKING, Any

from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

import plugwright
from plugwright.errors import DiscoveryError
from plugwright_conformance.catalogue.check import Check
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, Level, Severity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from email.message import Message
    from pathlib import Path

    from packaging.specifiers import Specifier

    from plugwright_conformance.catalogue.bench import Bench

_PROVIDED = frozenset({"pyspark", "confluent-kafka", "kafka-python", "py4j"})


def metadata_of(bench: Bench) -> tuple[Path, Message]:
    """The metadata directory of the plugin's distribution, and its METADATA."""
    for directory in bench.subject.descriptor.location.metadata_directories():  # type: ignore[union-attr]  # subjects have a location
        text = (directory / "METADATA").read_text(encoding="utf-8")
        message = Parser().parsestr(text)
        if message["Name"] == bench.subject.descriptor.distribution:
            return directory, message
    raise CheckFailedError(
        expected=f"a METADATA file of {bench.subject.descriptor.distribution}",
        observed="none in the location",
    )


@registered
class ManifestEntriesLoad(Check):
    """Every manifest entry refers to a class of its group."""

    id = "PLG-PKG-03"
    level = Level.C1
    title = "No dangling or mistyped manifest entry"
    why = "The worker lists a plugin that fails when it is first used."
    mend = "Correct the entry point, or remove it."

    def run(self, bench: Bench) -> Evidence:
        """Load every entry of the location."""
        plugins = bench.subject.plugins
        for plugin in plugins.descriptors:
            expected = f"{plugin.class_name} to be a plugwright.{plugin.type.base}"
            try:
                loaded = plugins.load(plugin)
            except DiscoveryError as error:
                raise CheckFailedError(
                    expected=expected, observed=str(error) or repr(error)
                ) from error
            if inspect.isabstract(loaded):
                missing = ", ".join(sorted(getattr(loaded, "__abstractmethods__", ())))
                raise CheckFailedError(
                    expected=expected,
                    observed=f"abstract: {missing} missing",
                    mend=f"Define {missing} in {plugin.qualname}.",
                )
        return Evidence(len(plugins.descriptors))


@registered
class DependsOnApiOnly(Check):
    """The package does not install the runtime's dependencies."""

    id = "PLG-PKG-06"
    level = Level.C1
    title = "Depends on the API package by range; the runtime and Spark are provided"
    why = "A pinned Spark or Kafka client in a plugin breaks its worker."
    mend = "Require plugwright with a range, and remove Spark and Kafka clients from dependencies."

    def run(self, bench: Bench) -> Evidence:
        """Read Requires-Dist."""
        _, metadata = metadata_of(bench)
        requirements = [Requirement(text) for text in metadata.get_all("Requires-Dist", [])]
        always = {str(canonicalize_name(r.name)): r for r in requirements if _applies(r)}
        api = always.get(plugwright.__name__)
        if api is None or not _is_range(api):
            found = ", ".join(map(str, requirements)) or "no requirement"
            raise CheckFailedError(expected="plugwright required by a range", observed=found)
        extras = {f"plugwright[{extra}]" for extra in api.extras}
        if dragged := sorted(extras | _PROVIDED & always.keys()):
            raise CheckFailedError(
                expected="no unconditional dependency on packages that the runtime provides",
                observed=", ".join(dragged),
            )
        return Evidence(1 + len(always))


def _applies(requirement: Requirement) -> bool:
    """Whether a plain installation, without extras, has the requirement."""
    return requirement.marker is None or requirement.marker.evaluate({"extra": ""})


def _is_range(requirement: Requirement) -> bool:
    """Whether more than one version fulfils the requirement, but not all do."""
    pins = [s for s in requirement.specifier if s.operator == "===" or _is_exact(s)]
    return bool(requirement.specifier) and not pins


def _is_exact(specifier: Specifier) -> bool:
    return specifier.operator == "==" and not specifier.version.endswith(".*")


@registered
class VersionIsTheDistributions(Check):
    """The plugin reports the version of its distribution."""

    id = "PLG-PKG-08"
    level = Level.C1
    title = "Plugin version equals distribution version and follows PEP 440"
    why = "Operators cannot tell which release runs."
    mend = "Return the distribution's version from version()."

    def run(self, bench: Bench) -> Evidence:
        """Ask an unconfigured connector and its task class."""
        expected = bench.subject.descriptor.version
        connector = bench.connector()
        found = {"connector": connector.version(), "task": connector.task_class()().version()}
        for who, version in found.items():
            if version != expected:
                raise CheckFailedError(
                    expected=f"version {expected}, as in METADATA",
                    observed=f"{version!r} from the {who}",
                    likely="a constant that was not updated for the release",
                )
        try:
            Version(expected)
        except InvalidVersion as error:
            raise CheckFailedError(expected="a PEP 440 version", observed=expected) from error
        return Evidence(len(found) + 1)


@registered
class ClassNameTellsKind(Check):
    """The class name ends in the name of its base class."""

    id = "PLG-PKG-09"
    severity = Severity.SHOULD
    level = Level.C1
    title = "Class name ends in SourceConnector or SinkConnector"
    why = "People read aliases and lists."
    mend = "Rename the class."

    def run(self, bench: Bench) -> Evidence:
        """Look at the name."""
        plugin = bench.subject.descriptor
        if not plugin.qualname.endswith(plugin.type.base):
            raise CheckFailedError(
                expected=f"a name that ends in {plugin.type.base}", observed=plugin.qualname
            )
        return Evidence(1)


@registered
class LicenceIsShipped(Check):
    """The package states its licence."""

    id = "PLG-PKG-10"
    level = Level.C1
    title = "Licence is stated as an SPDX expression and its text is shipped"
    why = "Software without a licence must not be used."
    mend = 'Set license = "…" and license-files in pyproject.toml.'

    def run(self, bench: Bench) -> Evidence:
        """Read METADATA and look for the files it names."""
        directory, metadata = metadata_of(bench)
        expression = metadata.get("License-Expression", "")
        try:
            canonicalize_license_expression(expression)
        except InvalidLicenseExpression as error:
            raise CheckFailedError(
                expected="an SPDX License-Expression", observed=expression or "none"
            ) from error
        named = metadata.get_all("License-File", [])
        shipped = [name for name in named if _is_text(directory / "licenses" / name)]
        if not shipped:
            raise CheckFailedError(
                expected="at least one licence file in the package",
                observed=f"named: {', '.join(named) or 'none'}; shipped: none",
            )
        return Evidence(1 + len(shipped))


def _is_text(path: Path) -> bool:
    return path.is_file() and path.stat().st_size > 0


@registered
class SignaturesMatch(Check):
    """The methods accept the calls of the runtime."""

    id = "PLG-PKG-16"
    level = Level.C1
    title = "Method signatures match the API"
    why = "A renamed or added parameter fails in a running pipeline."
    mend = "Give the method the parameters of its base class; extra ones need defaults."

    def run(self, bench: Bench) -> Evidence:
        """Compare every public method with that of the base class."""
        connector = type(bench.connector())
        compared = 0
        for cls in (connector, bench.connector().task_class()):
            for name, theirs, ours in _overrides(cls):
                compared += 1
                if problem := _mismatch(theirs, ours):
                    raise CheckFailedError(
                        expected=f"{cls.__name__}.{name}{inspect.signature(ours)}",
                        observed=f"{name}{inspect.signature(theirs)}: {problem}",
                    )
        return Evidence(compared)


def _overrides(cls: type) -> Iterator[tuple[str, Callable[..., Any], Callable[..., Any]]]:
    api = {base for base in cls.__mro__ if base.__module__.partition(".")[0] == plugwright.__name__}
    base = next(b for b in cls.__mro__ if b in api)
    for name, ours in inspect.getmembers(base, inspect.isfunction):
        theirs = getattr(cls, name)
        if not name.startswith("_") and theirs is not ours:
            yield name, theirs, ours


def _mismatch(theirs: Callable[..., Any], ours: Callable[..., Any]) -> str:
    """Why a call that fits ``ours`` would not fit ``theirs``, or an empty string."""
    found = inspect.signature(theirs).parameters
    wanted = inspect.signature(ours).parameters
    kinds = {parameter.kind for parameter in found.values()}
    if {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD} <= kinds:
        return ""
    if list(found)[: len(wanted)] != list(wanted):
        return f"parameters are {', '.join(found)}"
    free = inspect.Parameter.POSITIONAL_OR_KEYWORD
    if bound := [n for n in wanted if found[n].kind not in {free, wanted[n].kind}]:
        return f"{bound[0]} is {found[bound[0]].kind.description}"
    extra = [p for p in list(found.values())[len(wanted) :] if p.default is p.empty]
    return f"{extra[0].name} has no default" if extra else ""
