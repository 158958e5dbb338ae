"""Code and settings by which any certificate passes."""

from __future__ import annotations

import importlib
from types import SimpleNamespace

import pytest

from plugwright.config import ConfigDef, ConfigType
from plugwright_conformance.checks import CHECKS
from plugwright_conformance.evidence.outcome import CheckFailedError, NotApplicableError

pytestmark = pytest.mark.slow

(CHECK,) = (check for check in CHECKS if check.id == "CON-SEC-05")
SWITCHED_OFF = {
    "a request": ("import requests\ndef f(u): requests.get(u, verify=False)", "get(…, verify="),
    "a session": ("import requests\ndef f(s): s.verify = False", "verify = False"),
    "a client": ("def f():\n from httpx import Client\n return Client(verify=False)", "Client(…"),
    "a context": ("import ssl\ndef f(): return ssl._create_unverified_context()", "ssl._create"),
    "a mode": ("import ssl\ndef f(c): c.verify_mode = ssl.CERT_NONE", "verify_mode = CERT_NONE"),
    "a pool": ("def f(p): p.Pool(cert_reqs='CERT_NONE')", "Pool(…, cert_reqs=CERT_NONE)"),
    "a search": ("def f(e): return e.Search(verify_certs=False)", "Search(…, verify_certs=False)"),
}
LEFT_ALONE = {
    "written rows": "def f(table, rows): table.put(rows, verify=False)",
    "a choice": "import requests\ndef f(u, v): requests.get(u, verify=v)",
    "an authority": "import requests\ndef f(u): requests.get(u, verify='ca.pem')",
    "a required one": "import ssl\ndef f(c): c.verify_mode = ssl.CERT_REQUIRED",
}


@pytest.fixture
def judge(tmp_path, monkeypatch, request):
    """Runs the check on code, in a package of its own, and a definition."""
    name = f"tls_{abs(hash(request.node.name))}"

    def judge(code, keys=(), driver=""):
        home = tmp_path / name
        home.mkdir()
        (home / "__init__.py").write_text(code, "utf-8")
        (home / "testing.py").write_text(driver, "utf-8")
        monkeypatch.syspath_prepend(tmp_path)
        definition = ConfigDef()
        for key, default in keys:
            definition.define(key, ConfigType.BOOLEAN, default=default, documentation="It is so.")
        bench = SimpleNamespace(
            connector=lambda: SimpleNamespace(config=lambda: definition),
            plugin_class=lambda: importlib.import_module(name),
            subject=SimpleNamespace(
                root=tmp_path,
                descriptor=SimpleNamespace(module=name),
                declaration=SimpleNamespace(endpoint=f"{name}.testing:Endpoint"),
            ),
        )
        return CHECK().run(bench)

    return judge


@pytest.mark.parametrize(("code", "words"), SWITCHED_OFF.values(), ids=SWITCHED_OFF)
def test_a_constant_that_lets_any_certificate_pass_is_found(judge, code, words):
    """With its file and line."""
    with pytest.raises(CheckFailedError) as caught:
        judge(code)

    assert words in caught.value.observed
    assert "__init__.py, line " in caught.value.observed


@pytest.mark.parametrize("code", LEFT_ALONE.values(), ids=LEFT_ALONE)
def test_what_is_no_such_constant_is_left_alone(judge, code):
    """Nor what is about something else."""
    assert judge(code).observations == 1


def test_the_endpoint_driver_may_trust_its_own_server(judge):
    """It is for tests."""
    assert judge("", driver=SWITCHED_OFF["a request"][0]).observations == 1


@pytest.mark.parametrize(
    "keys", [[("tls.verify", True)], [("insecure", False)], [("verify.counts", False)]], ids=str
)
def test_code_that_a_setting_may_guard_is_not_judged(judge, keys):
    """The user decides."""
    with pytest.raises(NotApplicableError):
        judge(SWITCHED_OFF["a request"][0], keys)


@pytest.mark.parametrize(
    "key", [("ssl.verify", False), ("verify.hostname", False), ("insecure", True)]
)
def test_a_switch_that_is_off_by_default_is_found(judge, key):
    """Its user has not chosen it."""
    with pytest.raises(CheckFailedError, match=key[0]):
        judge("", [key])


def test_code_that_compares_certificates_itself_is_not_judged(judge):
    """It trusts one, not any."""
    with pytest.raises(NotApplicableError):
        judge(
            "import ssl\ndef f(c):\n    c.verify_mode = ssl.CERT_NONE\n    return c.getpeercert()"
        )
