"""Check that a plugin does not switch off the verification of certificates."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from plugwright.config import ConfigType
from plugwright_conformance.catalogue.check import Check, Level, Severity
from plugwright_conformance.catalogue.register import registered
from plugwright_conformance.evidence.outcome import CheckFailedError, Evidence, NotApplicableError
from plugwright_conformance.subject.read_sites import last_name, modules_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from plugwright.config import ConfigKey
    from plugwright_conformance.catalogue.bench import Bench

_ABOUT_CERTIFICATES = re.compile(r"verif|insecure|certificate|hostname|tls|ssl")
_TO_VERIFY = re.compile(r"(tls|ssl|cert|host).*verif|verif.*(tls|ssl|cert|host)")
_HTTP = frozenset({"aiobotocore", "boto3", "botocore", "httpx", "requests", "requests_oauthlib"})
"""Libraries of which ``verify`` is an argument or attribute that is about certificates."""
_SWITCHES = frozenset({"verify_ssl", "ssl_verify", "verify_certs"})
_UNVERIFIED = "_create_unverified_context"
_NONE = "CERT_NONE"
_COMPARES = frozenset({"getpeercert", "assert_fingerprint", "get_server_certificate"})


@registered
class CertificatesAreVerified(Check):
    """The plugin's code nowhere accepts any certificate."""

    id = "CON-SEC-05"
    severity = Severity.SHOULD
    level = Level.C2
    wave = 3
    title = "Certificates are verified by default"
    why = "Whoever is between the connector and its endpoint reads and changes its data."
    mend = "Leave verification on; let a setting name a certificate authority, or switch it off."
    origin = "QA; blackducksoftware/hub-rest-api-python#113"

    def run(self, bench: Bench) -> Evidence:
        """Look for a setting, or else for constants in the code, by which any certificate passes.

        Code that a setting may guard is not judged, nor that which compares certificates itself.
        """
        keys = bench.connector().config().keys
        choices = [key for key in keys.values() if _ABOUT_CERTIFICATES.search(key.name.lower())]
        for key in choices:
            if _is_off(key):
                raise CheckFailedError(
                    expected=f"{key.name} that verifies certificates by default",
                    observed=f"the default {key.default_value}",
                )
        modules = self._modules(bench)
        if not modules:
            raise NotApplicableError("the package has no source code")
        if choices or any(_compares(tree) for tree in modules.values()):
            raise NotApplicableError("the connector lets its user say how certificates are checked")
        for name, tree in modules.items():
            for line, what in _switched_off(tree):
                raise CheckFailedError(
                    expected="no constant that makes any certificate pass",
                    observed=f"{what} in {name}, line {line}",
                    likely="a test against a server with a certificate of its own",
                )
        return Evidence(len(modules))

    @staticmethod
    def _modules(bench: Bench) -> Mapping[str, ast.Module]:
        """The code of the plugin's package but for its endpoint driver, by file name."""
        bench.plugin_class()
        driver = bench.subject.declaration.endpoint.partition(":")[0]
        return modules_of(bench.subject.root, bench.subject.descriptor.module, without=driver)


def _is_off(key: ConfigKey) -> bool:
    """Whether the default of a switch lets any certificate pass."""
    if key.type is not ConfigType.BOOLEAN:
        return False
    name = key.name.lower()
    if "insecure" in name:
        return key.default_value is True
    return bool(_TO_VERIFY.search(name)) and key.default_value is False


def _compares(tree: ast.Module) -> bool:
    return any(isinstance(n, ast.Attribute) and n.attr in _COMPARES for n in ast.walk(tree))


def _switched_off(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and words of each place where verification is switched off."""
    switches = _SWITCHES | ({"verify"} if _imported(tree) & _HTTP else set())
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield from ((node.lineno, what) for what in _arguments(node, switches))
        elif isinstance(node, ast.Attribute) and node.attr == _UNVERIFIED:
            yield node.lineno, f"ssl.{_UNVERIFIED}"
        elif isinstance(node, ast.Assign):
            yield from ((node.lineno, what) for what in _assigned(node, switches))


def _imported(tree: ast.Module) -> set[str]:
    """The packages that a module imports."""
    names = [a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names]
    names += [n.module or "" for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)]
    return {name.partition(".")[0] for name in names}


def _arguments(call: ast.Call, switches: Collection[str]) -> Iterator[str]:
    for given in call.keywords:
        if given.arg in switches and _is_false(given.value):
            yield f"{last_name(call.func)}(…, {given.arg}=False)"
        elif given.arg == "cert_reqs" and _accepts_any(given.value):
            yield f"{last_name(call.func)}(…, cert_reqs={_NONE})"


def _assigned(assignment: ast.Assign, switches: Collection[str]) -> Iterator[str]:
    for target in assignment.targets:
        if not isinstance(target, ast.Attribute):
            continue
        if target.attr == "verify_mode" and _accepts_any(assignment.value):
            yield f"verify_mode = {_NONE}"
        elif target.attr in switches and _is_false(assignment.value):
            yield f"{target.attr} = False"


def _is_false(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is False


def _accepts_any(node: ast.expr) -> bool:
    return last_name(node) == _NONE or (isinstance(node, ast.Constant) and node.value == _NONE)
