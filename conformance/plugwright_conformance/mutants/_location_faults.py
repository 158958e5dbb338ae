"""Faults of a location of rows, as functions that break its files."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "bundle_api",
    "claim_exactly_once_in_readme",
    "declare_foreign_class",
    "declare_function",
    "declare_order_by_key",
    "edit_settings_table",
    "expose_base",
    "expose_converter",
    "forget_entry_point",
    "hide_spare_connector",
    "lie_in_record",
    "listen_at_import",
    "make_class_in_call",
    "need_environment",
    "restore_manifest",
    "rewrite_declaration",
    "say_other_version",
    "use_undeclared_package",
]


def _package(location: Path) -> Path:
    (init,) = location.glob("*/__init__.py")
    return init.parent


def _metadata(location: Path, name: str) -> Path:
    (directory,) = location.glob("*.dist-info")
    return directory / name


def _append(file: Path, text: str) -> None:
    file.write_text(file.read_text(encoding="utf-8") + text, encoding="utf-8")


def _edit(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    if old not in text:
        raise ValueError(f"{file} does not say {old!r}")
    file.write_text(text.replace(old, new), encoding="utf-8")


def use_undeclared_package(location: Path) -> None:
    """Import what is here by accident."""
    _append(_package(location) / "codec.py", "\n\nimport jinja2\n")


def forget_entry_point(location: Path) -> None:
    """Write a second connector and declare one."""
    text = "\n\nclass BackupSinkConnector(RowsSinkConnector):\n    pass\n"
    _append(_package(location) / "__init__.py", text)


def hide_spare_connector(location: Path) -> None:
    """Write a second connector in a private module."""
    package = _package(location)
    (package / "_spare.py").write_text(
        f"from {package.name}.sink import RowsSinkConnector\n\n\n"
        "class SpareSinkConnector(RowsSinkConnector):\n    pass\n",
        encoding="utf-8",
    )


def expose_base(location: Path) -> None:
    """Make the base class of the connector a plugin by itself."""
    sink = _package(location) / "sink.py"
    _edit(sink, "class RowsSinkConnector(SinkConnector)", "class TableSinkConnector(SinkConnector)")
    _append(sink, "\n\nclass RowsSinkConnector(TableSinkConnector):\n    pass\n")


def expose_converter(location: Path) -> None:
    """Write a converter for itself that no manifest declares."""
    (_package(location) / "bytes.py").write_text(
        "from plugwright.converters import StringConverter\n\n\n"
        "class RowsConverter(StringConverter):\n    pass\n",
        encoding="utf-8",
    )


def bundle_api(location: Path) -> None:
    """Ship a copy of the API."""
    (location / "plugwright").mkdir()
    (location / "plugwright" / "__init__.py").write_text("", encoding="utf-8")


def listen_at_import(location: Path) -> None:
    """Open a port when the module is imported."""
    text = '\n\nimport socket\n\n_PORT = socket.create_server(("127.0.0.1", 0))\n_PORT.close()\n'
    _append(_package(location) / "codec.py", text)


def lie_in_record(location: Path) -> None:
    """Ship a RECORD of other bytes."""
    name = f"{_package(location).name}/codec.py"
    _metadata(location, "RECORD").write_text(f"{name},sha256=AAAA,1\n", encoding="utf-8")


def make_class_in_call(location: Path) -> None:
    """Build the declared class in a call, where a scan does not see it."""
    init = _package(location) / "__init__.py"
    _append(
        init,
        "\n\ndef _made():\n    space = {'__module__': __name__}\n"
        "    return type('RowsSinkConnector', (RowsSinkConnector,), space)\n\n\n"
        "RowsSinkConnector = _made()\n",
    )


def say_other_version(location: Path) -> None:
    """Raise the version in the code alone."""
    _edit(_package(location) / "codec.py", 'VERSION = "1.0.0"', 'VERSION = "1.0.1"')


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


def need_environment(location: Path) -> None:
    """Read a variable of the environment when the package is imported."""
    text = "\n\nimport os\n\n_HOME = os.environ['ROWS_HOME_OF_NOBODY']\n"
    _append(_package(location) / "__init__.py", text)


def declare_function(location: Path) -> None:
    """Declare as a converter what is a function."""
    entry = f"\n[plugwright.Converter]\nrows = {_package(location).name}.codec:settings\n"
    _append(_metadata(location, "entry_points.txt"), entry)


def declare_foreign_class(location: Path) -> None:
    """Declare a converter of another distribution."""
    entry = "\n[plugwright.Converter]\nrows = plugwright.converters:StringConverter\n"
    _append(_metadata(location, "entry_points.txt"), entry)


def declare_order_by_key(location: Path) -> None:
    """Claim what nothing shows."""
    _edit(_package(location) / "conformance.toml", 'order = "partition"', 'order = "key"')


def rewrite_declaration(location: Path) -> None:
    """Change the declaration whenever the package is imported."""
    _append(
        _package(location) / "__init__.py",
        "\n\nfrom pathlib import Path as _Path\n\n"
        "with (_Path(__file__).parent / 'conformance.toml').open('a') as _file:\n"
        "    _file.write('# imported\\n')\n",
    )


def claim_exactly_once_in_readme(location: Path) -> None:
    """Promise more than is declared."""
    _edit(_metadata(location, "METADATA"), "At-least-once;", "Exactly-once;")


def edit_settings_table(location: Path) -> None:
    """Change a default in the table alone."""
    _edit(_metadata(location, "METADATA"), "| `100` |", "| `500` |")
