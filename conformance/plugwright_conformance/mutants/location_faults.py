"""Faults of a location of rows, as functions that break its files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugwright_conformance.mutants.mutant import mutant, replace_text

if TYPE_CHECKING:
    from pathlib import Path


def _package(location: Path) -> Path:
    (init,) = location.glob("*/__init__.py")
    return init.parent


def _metadata(location: Path, name: str) -> Path:
    (directory,) = location.glob("*.dist-info")
    return directory / name


def _append(file: Path, text: str) -> None:
    file.write_text(file.read_text(encoding="utf-8") + text, encoding="utf-8")


@mutant(
    "M001",
    "imports a package that it does not require",
    base="rows-sink",
    killed_by="PLG-PKG-01",
    failure="No module named 'jinja2'",
)
def use_undeclared_package(location: Path) -> None:
    """Import a package that happens to be installed."""
    _append(_package(location) / "codec.py", "\n\nimport jinja2\n")


@mutant(
    "M002",
    "class exists, entry point missing",
    base="rows-sink",
    killed_by="PLG-PKG-02",
    failure="BackupSinkConnector",
)
def forget_entry_point(location: Path) -> None:
    """Add a second connector without declaring it."""
    text = "\n\nclass BackupSinkConnector(RowsSinkConnector):\n    pass\n"
    _append(_package(location) / "__init__.py", text)


@mutant(
    "M164",
    "second concrete connector in a private module, not in the manifest",
    base="rows-sink",
    killed_by="PLG-DSC-03",
    failure="SpareSinkConnector",
)
def hide_spare_connector(location: Path) -> None:
    """Add a second connector in a private module."""
    package = _package(location)
    (package / "_spare.py").write_text(
        f"from {package.name}.sink import RowsSinkConnector\n\n\n"
        "class SpareSinkConnector(RowsSinkConnector):\n    pass\n",
        encoding="utf-8",
    )


@mutant(
    "M006",
    "helper base class not marked abstract, found by scan only",
    base="rows-sink",
    killed_by="PLG-PKG-04",
    failure="TableSinkConnector is found as a sink",
)
def expose_base(location: Path) -> None:
    """Make the base class of the connector a plugin by itself."""
    sink = _package(location) / "sink.py"
    replace_text(
        sink, "class RowsSinkConnector(SinkConnector)", "class TableSinkConnector(SinkConnector)"
    )
    _append(sink, "\n\nclass RowsSinkConnector(TableSinkConnector):\n    pass\n")


@mutant(
    "M165",
    "converter helper without a manifest",
    base="rows-sink",
    killed_by="PLG-DSC-04",
    failure="RowsConverter",
)
def expose_converter(location: Path) -> None:
    """Add a converter that no manifest declares."""
    (_package(location) / "bytes.py").write_text(
        "from plugwright.converters import StringConverter\n\n\n"
        "class RowsConverter(StringConverter):\n    pass\n",
        encoding="utf-8",
    )


@mutant(
    "M007",
    "bundles a copy of the API package",
    base="rows-sink",
    killed_by="PLG-PKG-05",
    failure="plugwright in the package",
    sentinel=True,
)
def bundle_api(location: Path) -> None:
    """Ship a copy of the API."""
    (location / "plugwright").mkdir()
    (location / "plugwright" / "__init__.py").write_text("", encoding="utf-8")


@mutant(
    "M011",
    "module opens a port at import",
    base="rows-sink",
    killed_by="PLG-PKG-11",
    failure="opens a port",
)
def listen_at_import(location: Path) -> None:
    """Open a port when the module is imported."""
    text = '\n\nimport socket\n\n_PORT = socket.create_server(("127.0.0.1", 0))\n_PORT.close()\n'
    _append(_package(location) / "codec.py", text)


@mutant(
    "M012",
    "a file differs from RECORD",
    base="rows-sink",
    killed_by="PLG-PKG-14",
    failure="as RECORD has it",
)
def lie_in_record(location: Path) -> None:
    """Ship a RECORD with a wrong hash."""
    name = f"{_package(location).name}/codec.py"
    _metadata(location, "RECORD").write_text(f"{name},sha256=AAAA,1\n", encoding="utf-8")


@mutant(
    "M014",
    "class built by a call: the manifest works, a scan cannot see it",
    base="rows-sink",
    killed_by="PLG-DSC-01",
    failure="plugin.discovery=only_scan",
)
def make_class_in_call(location: Path) -> None:
    """Create the declared class with a call to ``type``, which a scan does not find."""
    init = _package(location) / "__init__.py"
    _append(
        init,
        "\n\ndef _made():\n    space = {'__module__': __name__}\n"
        "    return type('RowsSinkConnector', (RowsSinkConnector,), space)\n\n\n"
        "RowsSinkConnector = _made()\n",
    )


@mutant(
    "M166",
    "code and manifest give different versions",
    base="rows-sink",
    killed_by="PLG-DSC-05",
    failure="version 1.0.1 from its code",
)
def say_other_version(location: Path) -> None:
    """Raise the version in the code only."""
    replace_text(_package(location) / "codec.py", 'VERSION = "1.0.0"', 'VERSION = "1.0.1"')


@mutant(
    "M167",
    "package writes its manifest when it is imported",
    base="rows-sink",
    killed_by="PLG-DSC-06",
    failure="manifests removed",
)
def restore_manifest(location: Path) -> None:
    """Write the manifest whenever the package is imported without one."""
    manifest = _metadata(location, "entry_points.txt")
    _append(
        _package(location) / "__init__.py",
        "\n\nfrom pathlib import Path as _Path\n\n"
        f"_MANIFEST = _Path(__file__).parents[1] / {manifest.parent.name!r} / 'entry_points.txt'\n"
        "if not _MANIFEST.exists():\n"
        f"    _MANIFEST.write_text({manifest.read_text('utf-8')!r})\n",
    )


@mutant(
    "M168",
    "import needs an environment variable",
    base="rows-sink",
    killed_by="PLG-DSC-07",
    failure="import-error",
)
def need_environment(location: Path) -> None:
    """Read a variable of the environment when the package is imported."""
    text = "\n\nimport os\n\n_HOME = os.environ['ROWS_HOME_OF_NOBODY']\n"
    _append(_package(location) / "__init__.py", text)


@mutant(
    "M169",
    "manifest lists a helper that the tool would remove",
    base="rows-sink",
    killed_by="PLG-DSC-08",
    failure="Remove",
)
def declare_function(location: Path) -> None:
    """Declare a function as a converter."""
    entry = f"\n[plugwright.Converter]\nrows = {_package(location).name}.codec:settings\n"
    _append(_metadata(location, "entry_points.txt"), entry)


@mutant(
    "M015",
    "manifest also lists a class of another distribution",
    base="rows-sink",
    killed_by="PLG-DSC-09",
    failure="StringConverter",
)
def declare_foreign_class(location: Path) -> None:
    """Declare a converter of another distribution."""
    entry = "\n[plugwright.Converter]\nrows = plugwright.converters:StringConverter\n"
    _append(_metadata(location, "entry_points.txt"), entry)


@mutant(
    "M016",
    "package loads every plugin of its location when it is imported",
    base="rows-sink",
    killed_by="PLG-DSC-11",
    failure="broken at import",
)
def load_neighbours(location: Path) -> None:
    """Keep a registry of all plugins of the location, filled at import."""
    _append(
        _package(location) / "__init__.py",
        "\n\nfrom importlib.metadata import distributions as _distributions\n"
        "from pathlib import Path as _Path\n\n"
        "_REGISTRY = [\n"
        "    entry.load()\n"
        "    for each in _distributions(path=[str(_Path(__file__).parents[1])])\n"
        "    for entry in each.entry_points\n"
        "    if entry.group.startswith('plugwright.') and not entry.value.startswith(__name__)\n"
        "]\n",
    )


@mutant(
    "M020",
    "declares evolution, which nothing shows",
    base="lines-sink",
    killed_by="CON-CAP-01",
    failure="evolution = True",
)
def declare_evolution(location: Path) -> None:
    """Declare schema evolution of a sink that stores text."""
    declaration = _package(location) / "conformance.toml"
    replace_text(declaration, "parallel = true", "parallel = true\nevolution = true")


@mutant(
    "M022",
    "declaration changes when the package is imported",
    base="lines-sink",
    killed_by="CON-CAP-03",
    failure="as at the beginning",
)
def rewrite_declaration(location: Path) -> None:
    """Change the declaration whenever the package is imported."""
    _append(
        _package(location) / "__init__.py",
        "\n\nfrom pathlib import Path as _Path\n\n"
        "with (_Path(__file__).parent / 'conformance.toml').open('a') as _file:\n"
        "    _file.write('# imported\\n')\n",
    )


@mutant(
    "M033",
    "README says exactly-once, declaration says at-least-once",
    base="rows-source",
    killed_by="CON-DOC-01",
    failure="at-least-once, as declared",
)
def claim_exactly_once_in_readme(location: Path) -> None:
    """Promise a stronger guarantee than the declaration."""
    replace_text(_metadata(location, "METADATA"), "At-least-once;", "Exactly-once;")


@mutant(
    "M034",
    "configuration reference edited by hand",
    base="rows-source",
    killed_by="CON-DOC-02",
    failure="`rows.batch`",
    sentinel=True,
)
def edit_settings_table(location: Path) -> None:
    """Change a default in the table only."""
    replace_text(_metadata(location, "METADATA"), "| `100` |", "| `500` |")
