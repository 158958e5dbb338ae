"""The listing of plugins and the settings of each."""

from __future__ import annotations

from tests.oracle.worker.steps import Chapter, ask, show

__all__ = ["BUILT_IN", "CHAPTERS", "CONVERTERS", "PREDICATES", "TRANSFORMATIONS"]

_API = "org.apache.kafka.connect"
CONVERTERS = (
    f"{_API}.converters.BooleanConverter",
    f"{_API}.converters.ByteArrayConverter",
    f"{_API}.converters.DoubleConverter",
    f"{_API}.converters.FloatConverter",
    f"{_API}.converters.IntegerConverter",
    f"{_API}.converters.LongConverter",
    f"{_API}.converters.ShortConverter",
    f"{_API}.json.JsonConverter",
    f"{_API}.storage.SimpleHeaderConverter",
    f"{_API}.storage.StringConverter",
)
_SIDED = (
    "Cast",
    "ExtractField",
    "Flatten",
    "HeaderFrom",
    "HoistField",
    "InsertField",
    "MaskField",
    "ReplaceField",
    "SetSchemaMetadata",
    "TimestampConverter",
)
_WHOLE = ("DropHeaders", "Filter", "InsertHeader", "RegexRouter", "TimestampRouter", "ValueToKey")
TRANSFORMATIONS = (
    *(f"{_API}.transforms.{name}${side}" for name in _SIDED for side in ("Key", "Value")),
    *(f"{_API}.transforms.{name}" for name in _WHOLE),
)
PREDICATES = tuple(
    f"{_API}.transforms.predicates.{name}"
    for name in ("HasHeaderKey", "RecordIsTombstone", "TopicNameMatches")
)
_FILES = (f"{_API}.file.FileStreamSourceConnector", f"{_API}.file.FileStreamSinkConnector")
BUILT_IN = (*_FILES, *CONVERTERS, *TRANSFORMATIONS, *PREDICATES)

_OWN = (
    "trial.TrialSourceConnector",
    "trial.TrialSinkConnector",
    "trial.EveryTypeSinkConnector",
    "trial.Unwilling",
    "versioned.VersionedSinkConnector",
)
_ALIASES = (
    "FileStreamSource",
    "FileStreamSourceConnector",
    "FileStreamSink",
    "TrialSource",
    "EveryType",
    "EveryTypeSink",
    "VersionedSink",
    "JsonConverter",
    "Json",
    "StringConverter",
    "String",
    "SimpleHeaderConverter",
    "Cast",
    "Cast$Key",
    "Key",
    "Value",
    "Filter",
    "RegexRouter",
    "HasHeaderKey",
    "TopicNameMatches",
    "Unwilling",
    "filestreamsource",
)
_NONE = (
    "Nope",
    "org.example.Nope",
    "java.lang.String",
    f"{_API}.transforms.Cast",
    f"{_API}.transforms.NoSuch",
    "org.apache.kafka.common.config.provider.FileConfigProvider",
    "FileConfigProvider",
    "AllConnectorClientConfigOverridePolicy",
    f"{_API}.rest.basic.auth.extension.BasicAuthSecurityRestExtension",
    "%20",
    "a%2Fb",
    "..",
)
_VERSIONS = (
    "1.0.0",
    "2.0.0",
    "3.0.0",
    "latest",
    "nope",
    "[1.0.0,2.0.0)",
    "[1.0.0]",
    "(1.0.0,2.0.0]",
    "[3.0.0,)",
    "[",
    "",
    "%20",
)

LISTING = Chapter(
    "plugin-listing",
    [
        show("/connector-plugins"),
        show("/connector-plugins?connectorsOnly=false"),
        show("/connector-plugins?connectorsOnly=true"),
        show("/connector-plugins?connectorsOnly="),
        ask("HEAD", "/connector-plugins"),
    ],
)

SETTINGS = Chapter(
    "plugin-settings",
    [
        *(show(f"/connector-plugins/{name}/config") for name in (*BUILT_IN, *_OWN, *_ALIASES)),
        *(show(f"/connector-plugins/{name}/config") for name in _NONE),
        *(
            show(f"/connector-plugins/versioned.VersionedSinkConnector/config?version={version}")
            for version in _VERSIONS
        ),
        show("/connector-plugins/VersionedSink/config?version=1.0.0"),
        show("/connector-plugins/FileStreamSource/config?version=@VERSION@"),
        show("/connector-plugins/FileStreamSource/config?version=1.0.0"),
        show("/connector-plugins/JsonConverter/config?version=@VERSION@"),
        show("/connector-plugins/JsonConverter/config?version=1.0.0"),
        show("/connector-plugins/Filter/config?version=nope"),
        show("/connector-plugins/Nope/config?version=1.0.0"),
        show("/connector-plugins/FileStreamSource/config?nope=1"),
        show("/connector-plugins/FileStreamSource/config/"),
        show("/connector-plugins/FileStreamSource"),
        show("/connector-plugins/FileStreamSource/nope"),
    ],
)

CHAPTERS = (LISTING, SETTINGS)
