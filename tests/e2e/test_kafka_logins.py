"""A Kafka with a listener for each way to log in, and the worker's clients before each of them."""

from __future__ import annotations

import base64
import datetime as dt
import ipaddress
import json
import os
import subprocess
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from confluent_kafka.admin import (
    AdminClient,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialUpsertion,
)
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.serialization import pkcs12
from tests.e2e.clients import CLIENTS
from tests.e2e.workers import free_port

from plugwright.errors import ConnectError, SetupError
from plugwright.java import find_java
from plugwright.kafka import cluster_id, worker_clients

pytestmark = [pytest.mark.kafka, pytest.mark.timeout(240)]

PASSWORD, MISTAKE = "let-me-in", "let-me-out"
MODULES = "org.apache.kafka.common.security"
SCRAM = f"{MODULES}.scram.ScramLoginModule required"
BEARER = f"{MODULES}.oauthbearer.OAuthBearerLoginModule required"


class Authority:
    """Makes certificates, all in one directory."""

    def __init__(self, directory):
        self._directory = directory
        self.key = rsa.generate_private_key(65537, 2048)
        self.certificate = self._signed("authority", self.key, authority=True)
        self.path = directory / "authorities.pem"
        self.path.write_bytes(self.certificate.public_bytes(serialization.Encoding.PEM))

    def _signed(self, name, key, *, authority=False):
        def called(text):
            return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, text)])

        now = dt.datetime.now(dt.UTC)
        loopback = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
        return (
            x509.CertificateBuilder()
            .subject_name(called(name))
            .issuer_name(called("authority"))
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - dt.timedelta(hours=1))
            .not_valid_after(now + dt.timedelta(days=1))
            .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
            .add_extension(x509.SubjectAlternativeName([loopback]), critical=False)
            .sign(self.key, hashes.SHA256())
        )

    def pem(self, name, password=None):
        """One file with key and certificate."""
        key = rsa.generate_private_key(65537, 2048)
        encryption = (
            serialization.BestAvailableEncryption(password.encode())
            if password
            else serialization.NoEncryption()
        )
        encoded = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, encryption
        )
        path = self._directory / f"{name}.pem"
        certificate = self._signed(name, key)
        path.write_bytes(encoded + certificate.public_bytes(serialization.Encoding.PEM))
        return path, key, certificate

    def stores(self, name):
        """A key store and a trust store as keytool of today makes them."""
        _, key, certificate = self.pem(f"{name}-of-store")
        encryption = serialization.BestAvailableEncryption(PASSWORD.encode())
        own, trust = self._directory / f"{name}.jks", self._directory / f"{name}-trust.jks"
        own.write_bytes(
            pkcs12.serialize_key_and_certificates(
                b"me", key, certificate, [self.certificate], encryption
            )
        )
        entry = pkcs12.PKCS12Certificate(self.certificate, b"authority")
        trust.write_bytes(pkcs12.serialize_java_truststore([entry], encryption))
        return own, trust


class Tokens(ThreadingHTTPServer):
    """Gives tokens to who knows the client's secret; tells the key that they are signed with."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _TokenRequest)
        self.key = rsa.generate_private_key(65537, 2048)
        self.url = f"http://127.0.0.1:{self.server_port}"

    def token(self):
        """A token of the user, good for five minutes."""
        now = int(time.time())
        head = {"alg": "RS256", "kid": "k", "typ": "JWT"}
        claims = {"sub": "worker", "aud": "kafka", "iat": now, "exp": now + 300, "scope": "all"}
        signed = b".".join(_encoded(json.dumps(part).encode()) for part in (head, claims))
        signature = self.key.sign(signed, padding.PKCS1v15(), hashes.SHA256())
        return (signed + b"." + _encoded(signature)).decode()

    def keys(self):
        """The public key, as brokers ask for it."""
        numbers = self.key.public_key().public_numbers()
        parts = {"n": numbers.n.to_bytes(256, "big"), "e": numbers.e.to_bytes(3, "big")}
        key = {name: _encoded(value).decode() for name, value in parts.items()}
        return {"keys": [{"kty": "RSA", "kid": "k", "use": "sig", "alg": "RS256", **key}]}


class _TokenRequest(BaseHTTPRequestHandler):
    def do_GET(self):
        self._answer(200, self.server.keys())

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        known = base64.b64encode(f"worker:{PASSWORD}".encode()).decode()
        if self.headers.get("Authorization") == f"Basic {known}":
            self._answer(200, {"access_token": self.server.token(), "token_type": "Bearer"})
        else:
            self._answer(401, {"error": "invalid_client"})

    def _answer(self, status, content):
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def _encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=")


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    """Whom clients and broker trust."""
    return Authority(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(scope="module")
def tokens():
    """The OAuth server, on loopback."""
    server = Tokens()
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def _properties(addresses, authority, tokens):
    protocols = {"TLS": "SSL", "SCRAM": "SASL_SSL", "OAUTH": "SASL_PLAINTEXT", "INNER": "PLAINTEXT"}
    listeners = ",".join(f"{name}://{addresses[name]}" for name in protocols)
    own = {
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": str(authority.pem("broker")[0]),
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": str(authority.path),
    }
    bearer = "listener.name.oauth.oauthbearer.sasl"
    return {
        "listeners": f"{listeners},CONTROLLER://{addresses['CONTROLLER']}",
        "advertised.listeners": listeners,
        "inter.broker.listener.name": "INNER",
        "controller.quorum.voters": f"1@{addresses['CONTROLLER']}",
        "listener.security.protocol.map": ",".join(
            f"{name}:{protocol}"
            for name, protocol in {**protocols, "CONTROLLER": "PLAINTEXT"}.items()
        ),
        **{f"listener.name.tls.{key}": value for key, value in own.items()},
        **{f"listener.name.scram.{key}": value for key, value in own.items()},
        "listener.name.tls.ssl.client.auth": "required",
        "listener.name.scram.sasl.enabled.mechanisms": "SCRAM-SHA-256,SCRAM-SHA-512",
        "listener.name.scram.scram-sha-256.sasl.jaas.config": f"{SCRAM};",
        "listener.name.scram.scram-sha-512.sasl.jaas.config": f"{SCRAM};",
        "listener.name.oauth.sasl.enabled.mechanisms": "OAUTHBEARER",
        f"{bearer}.jaas.config": f"{BEARER};",
        f"{bearer}.server.callback.handler.class": (
            f"{MODULES}.oauthbearer.OAuthBearerValidatorCallbackHandler"
        ),
        "listener.name.oauth.sasl.oauthbearer.jwks.endpoint.url": f"{tokens.url}/keys",
        "listener.name.oauth.sasl.oauthbearer.expected.audience": "kafka",
    }


@pytest.fixture(scope="module")
def means(authority, tokens):
    """What the settings of a login are made of."""
    return authority, tokens


@pytest.fixture(scope="module")
def listeners(authority, tokens):
    """The address of each listener of a Kafka."""
    from plugwright.kafka.brokers.embedded import open_embedded  # noqa: PLC0415  # an extra

    names = ("TLS", "SCRAM", "OAUTH", "INNER", "CONTROLLER")
    addresses = {name: f"127.0.0.1:{free_port()}" for name in names}
    allowed = f"-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls={tokens.url}/keys"
    try:
        broker = open_embedded(
            port=int(addresses["INNER"].rpartition(":")[2]),
            properties=_properties(addresses, authority, tokens),
            environ={**os.environ, "JAVA_TOOL_OPTIONS": allowed},
        )
    except SetupError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(error))
    with broker:
        _add_user(addresses["INNER"])
        yield addresses


def _add_user(servers):
    admin = AdminClient({"bootstrap.servers": servers})
    kinds = (ScramMechanism.SCRAM_SHA_256, ScramMechanism.SCRAM_SHA_512)
    users = [
        UserScramCredentialUpsertion("worker", ScramCredentialInfo(kind, 4096), PASSWORD.encode())
        for kind in kinds
    ]
    for user in users:
        for future in admin.alter_user_scram_credentials([user]).values():
            future.result(30)


def _trusted(authority):
    return {"ssl.truststore.type": "PEM", "ssl.truststore.location": str(authority.path)}


def _one_pem(authority, _tokens, secret):
    path, *_ = authority.pem(f"client-{secret}", PASSWORD)
    return "TLS", {
        "security.protocol": "SSL",
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": str(path),
        "ssl.key.password": secret,
        "ssl.truststore.password": "not needed",
        **_trusted(authority),
    }


def _java_stores(authority, _tokens, secret):
    own, trust = authority.stores("client")
    return "TLS", {
        "security.protocol": "SSL",
        "ssl.keystore.location": str(own),
        "ssl.keystore.password": secret,
        "ssl.truststore.location": str(trust),
        "ssl.truststore.password": PASSWORD,
    }


def _jks_stores(authority, tokens, secret):
    """As keytool made them until Java 9: of the type JKS, by Java itself."""
    keytool = [str(find_java().executable), "-m", "java.base/sun.security.tools.keytool.Main"]
    listener, settings = _java_stores(authority, tokens, secret)
    for kind in ("key", "trust"):
        modern = settings[f"ssl.{kind}store.location"]
        old = settings[f"ssl.{kind}store.location"] = f"{modern}.old"
        Path(old).unlink(missing_ok=True)
        types = ["-srcstoretype", "PKCS12", "-deststoretype", "JKS"]
        words = ["-srcstorepass", PASSWORD, "-deststorepass", PASSWORD, "-noprompt"]
        stores = ["-srckeystore", modern, "-destkeystore", old]
        command = [*keytool, "-importkeystore", *stores, *types, *words]
        subprocess.run(command, check=True, capture_output=True)
        assert Path(old).read_bytes()[:4] == bytes.fromhex("feedfeed")
    return listener, {**settings, "ssl.keystore.type": "JKS", "ssl.truststore.type": "JKS"}


def _scram(mechanism):
    def settings(authority, _tokens, secret):
        return "SCRAM", {
            "security.protocol": "SASL_SSL",
            "sasl.mechanism": mechanism,
            "sasl.jaas.config": f'{SCRAM} username="worker" password="{secret}";',
            **_trusted(authority),
        }

    return settings


def _bearer(*, by_name):
    def settings(_authority, tokens, secret):
        prefix = "sasl.oauthbearer.client.credentials.client."
        named = {f"{prefix}id": "worker", f"{prefix}secret": secret}
        options = f' clientId="worker" clientSecret="{secret}" scope="all"'
        return "OAUTH", {
            "security.protocol": "SASL_PLAINTEXT",
            "sasl.mechanism": "OAUTHBEARER",
            "sasl.oauthbearer.token.endpoint.url": f"{tokens.url}/token",
            "sasl.login.callback.handler.class": (
                f"{MODULES}.oauthbearer.OAuthBearerLoginCallbackHandler"
            ),
            "sasl.jaas.config": f"{BEARER}{'' if by_name else options};",
            **(named if by_name else {}),
        }

    return settings


LOGINS = {
    "mtls-pem": _one_pem,
    "mtls-stores": _java_stores,
    "mtls-jks": _jks_stores,
    "scram-256": _scram("SCRAM-SHA-256"),
    "scram-512": _scram("SCRAM-SHA-512"),
    "oauth-jaas": _bearer(by_name=False),
    "oauth-settings": _bearer(by_name=True),
}


@pytest.mark.parametrize("use", CLIENTS)
@pytest.mark.parametrize("login", LOGINS)
def test_every_client_of_a_worker_is_let_in(listeners, means, fresh, login, use):
    """By each way to log in, with Java's names for the settings."""
    listener, settings = LOGINS[login](*means, PASSWORD)

    CLIENTS[use](listeners[listener], worker_clients(settings), fresh("in"))


@pytest.mark.parametrize("login", LOGINS)
def test_a_wrong_secret_is_an_error_that_does_not_show_it(listeners, means, login):
    """Of the settings, or of the login."""
    listener, settings = LOGINS[login](*means, MISTAKE)

    with pytest.raises(ConnectError) as caught:
        cluster_id(listeners[listener], overrides=worker_clients(settings).admin)

    said = f"{caught.value}{caught.value.hint}{caught.value.facts}"
    assert MISTAKE not in said
    assert PASSWORD not in said


def test_who_shows_no_certificate_is_not_let_in(listeners, authority):
    """The listener asks for one."""
    settings = {"security.protocol": "SSL", **_trusted(authority)}

    with pytest.raises(ConnectError) as caught:
        cluster_id(listeners["TLS"], overrides=worker_clients(settings).admin)

    assert caught.value.code == "kafka.tls-failed"
