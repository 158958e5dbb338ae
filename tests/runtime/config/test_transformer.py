"""References are replaced by what providers say."""

from __future__ import annotations

import pytest

from plugwright.config import ConfigData, ConfigProvider, ConfigTransformer
from plugwright.errors import ConfigError


class Scripted(ConfigProvider):
    """Answers as the provider in Kafka's ConfigTransformerTest, and counts requests."""

    VALUES = {  # noqa: RUF012  # constant
        ("testPath", "testKey"): "testResult",
        ("testPath", "testKeyWithTTL"): "testResultWithTTL",
        ("testPath", "testIndirection"): "${test:testPath:testResult}",
        ("", "testKey"): "testResultNoPath",
    }

    def __init__(self):
        self.requests = []

    def get(self, path, keys=None):
        """The scripted values."""
        self.requests.append((path, sorted(keys)))
        data = {key: self.VALUES[path, key] for key in keys if (path, key) in self.VALUES}
        return ConfigData(data, 1 if "testKeyWithTTL" in keys else None)


def transform(value):
    """The outcome for one setting."""
    return ConfigTransformer({"test": Scripted()}).transform({"k": value})


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param("${test:testPath:testKey}", "testResult", id="path-and-key"),
        pytest.param("${test:testKey}", "testResultNoPath", id="no-path"),
        pytest.param(
            "hello, ${test:testPath:testKey}; goodbye, ${test:testPath:testKeyWithTTL}!!!",
            "hello, testResult; goodbye, testResultWithTTL!!!",
            id="several",
        ),
        pytest.param(
            "first ${test:testKey}; second ${test:testKey}",
            "first testResultNoPath; second testResultNoPath",
            id="several-without-path",
        ),
        pytest.param("${test:testPath:missing}", "${test:testPath:missing}", id="missing-key"),
        pytest.param("${other:p:k}", "${other:p:k}", id="unknown-provider"),
        pytest.param(
            "${other:p:k} ${test:testKey}", "${other:p:k} testResultNoPath", id="partly-resolved"
        ),
        pytest.param(
            "${test:testPath:testIndirection}", "${test:testPath:testResult}", id="not-again"
        ),
        pytest.param("${x} ${test:testKey}", "${x} testResultNoPath", id="no-reference-before"),
        pytest.param("$test:testKey", "$test:testKey", id="no-braces"),
        pytest.param(None, None, id="null"),
    ],
)
def test_replaces(value, expected):
    """Kafka's ConfigTransformerTest and its neighbours."""
    assert transform(value).data == {"k": expected}


def test_time_to_live_is_collected():
    """A provider's answer may age."""
    assert transform("${test:testPath:testKeyWithTTL}").ttls == {"testPath": 1}
    assert transform("${test:testPath:testKey}").ttls == {}


class Aging(ConfigProvider):
    """Answers with a fixed time to live."""

    def __init__(self, ttl_ms):
        self.ttl_ms = ttl_ms

    def get(self, path, keys=None):  # the contract
        """Nothing, for a time."""
        return ConfigData({}, self.ttl_ms)


def test_shortest_time_to_live_of_a_path_counts():
    """Two providers may know the same path; a negative time is none."""
    transformer = ConfigTransformer({"a": Aging(9), "b": Aging(5), "c": Aging(7), "d": Aging(-1)})

    result = transformer.transform({"k": "${a:p:x}${b:p:x}${c:p:x}${c:q:x}${d:r:x}"})

    assert result.ttls == {"p": 5, "q": 7}


def test_each_path_is_asked_for_once():
    """A provider that fetches from afar gets all keys of a path together."""
    provider = Scripted()

    ConfigTransformer({"test": provider}).transform(
        {"a": "${test:testPath:x}", "b": "${test:testPath:y} ${test:testPath:x}", "c": "${test:z}"}
    )

    assert provider.requests == [("testPath", ["x", "y"]), ("", ["z"])]


class Broken(ConfigProvider):
    """Fails."""

    def get(self, path, keys=None):  # the contract
        """Nothing."""
        raise OSError("login with hunter2 failed")


def test_failing_provider_is_named_without_its_words():
    """Provider, path and kind of failure; the text may hold a secret and stays in the cause."""
    with pytest.raises(ConfigError) as caught:
        ConfigTransformer({"vault": Broken()}).transform({"k": "${vault:p:x}"})

    assert str(caught.value) == "The config provider vault failed with OSError on path 'p'"
    assert isinstance(caught.value.__cause__, OSError)


def test_results_print_without_values():
    """Neither a provider's answer nor a resolved configuration shows itself."""
    assert "hunter2" not in repr(ConfigData({"k": "hunter2"}, 5))
    assert "testResult" not in repr(transform("${test:testPath:testKey}"))


@pytest.mark.parametrize("piece", ["${", "${a", "${a:", "${a:b:", "${}", "${a}"])
@pytest.mark.parametrize(("end", "resolved"), [("", ""), ("}${test:testKey}", "}testResultNoPath")])
def test_a_megabyte_of_beginnings_is_read_at_once(piece, end, resolved):
    """If each beginning were followed to the end of the text, this would take half an hour."""
    text = piece * (1_000_000 // len(piece))

    assert transform(text + end).data == {"k": text + resolved}
