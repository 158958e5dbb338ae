"""A table of hostile and odd locations, each with what every mode has to make of it.

The expectations are those of the reference (discovery, D1 to D10), of the packaging specifications
and of Kafka's modes (KIP-898); they were written before anything was run.
"""

# ruff: noqa: E501  # plugin modules as one-line texts

from __future__ import annotations

import os
import py_compile
import socket
import unicodedata
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["CASES", "Case", "make"]

SINK = """from plugwright import SinkConnector
class Sink(SinkConnector):
    version = config = start = stop = task_class = task_configs = None
"""
GROUP = "[plugwright.SinkConnector]\n"
ENTRY = "s = shop:Sink\n"
MANIFEST = GROUP + ENTRY
META = "Metadata-Version: 2.1\nName: shop\nVersion: 1.0\n\nWords.\n"
DIST = "shop-1.0.dist-info"
ONE = frozenset({"shop.Sink"})
NONE: frozenset[str] = frozenset()
APART = unicodedata.normalize("NFD", "größe")
"""A name as macOS writes it: two characters for the letter and its mark."""


@dataclass(frozen=True, slots=True)
class Case:
    """One location.

    Attributes:
        files: what it holds: text, bytes, nothing for a directory, or who makes it.
        declared: the classes that its manifests declare, which service_load has.
        found: those that can be loaded and that only_scan has.
        stale: declared ones that hybrid_fail refuses.
        lacking: those that hybrid_fail finds undeclared; unless given, what is found and not
            declared.
        codes: of findings that have to be there, among others.
        suffix: of the name, if it is an archive or a module.
    """

    files: Mapping[str, Any]
    declared: frozenset[str] = ONE
    found: frozenset[str] = ONE
    stale: frozenset[str] = NONE
    lacking: frozenset[str] | None = None
    codes: tuple[str, ...] = ()
    suffix: str = ""

    @property
    def undeclared(self) -> frozenset[str]:
        """What hybrid_fail finds without a manifest."""
        return self.found - self.declared if self.lacking is None else self.lacking


def make(root: Path, files: Mapping[str, Any]) -> None:
    """Write what a location holds."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if content is None:
            path.mkdir()
        elif callable(content):
            content(path)
        else:
            path.write_bytes(content if isinstance(content, bytes) else content.encode())


def _files(
    manifest: Any = MANIFEST, code: Any = SINK, metadata: Any = META, **more: Any
) -> dict[str, Any]:
    files = {
        "shop.py": code,
        f"{DIST}/METADATA": metadata,
        f"{DIST}/entry_points.txt": manifest,
    }
    files |= {name.replace("__", "/"): each for name, each in more.items()}
    return {name: each for name, each in files.items() if each is not ...}


def _loop(path: Path) -> None:
    path.symlink_to(path)


def _device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        here = os.open(path.parent, os.O_RDONLY)
        server.bind(f"/proc/self/fd/{here}/{path.name}")
        os.close(here)


def _link(target: str, text: str | None = None) -> Any:
    def linked(path: Path) -> None:
        place = path.parent / target
        if text is not None:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
        path.symlink_to(place)

    return linked


def _compiled(path: Path) -> None:
    source = path.with_name(".source.py")
    source.write_text(SINK)
    py_compile.compile(str(source), cfile=str(path), doraise=True)
    source.unlink()


def _zip(members: Mapping[str, str], before: bytes = b"", cut: int = 0) -> Any:
    def zipped(path: Path) -> None:
        with path.open("wb") as file:
            file.write(before)
            with zipfile.ZipFile(file, "a", zipfile.ZIP_DEFLATED) as archive:
                for name, text in members.items():
                    archive.writestr(name, text)
        if cut:
            path.write_bytes(path.read_bytes()[:-cut])

    return zipped


def _manifest(text: str | bytes, *codes: str) -> Case:
    """The entry is found in spite of what is odd."""
    return Case(_files(text), codes=codes)


def _lost(manifest: Any, *codes: str) -> Case:
    """Nothing is declared, and the scan finds the class."""
    return Case(_files(manifest), declared=NONE, codes=codes)


def _stale(code: str, *codes: str, manifest: str = MANIFEST) -> Case:
    """The manifest declares what cannot be loaded."""
    declared = frozenset({manifest.rpartition("=")[2].strip().replace(":", ".")})
    return Case(_files(manifest, code), declared, NONE, declared, codes=codes)


def _taken(module: str) -> Case:
    """The manifest declares a class in a module that every process takes from elsewhere."""
    declared = frozenset({f"{module}.Sink"})
    files = {f"{module}.py": SINK, f"{DIST}/METADATA": META}
    files[f"{DIST}/entry_points.txt"] = f"{GROUP}s = {module}:Sink\n"
    return Case(files, declared, NONE, declared)


def _open_question(code: str, *codes: str) -> Case:
    """It is unknown whether it can be loaded elsewhere, so it stays declared."""
    return Case(_files(code=code), ONE, NONE, codes=codes)


def _beside(**more: Any) -> Case:
    """A good plugin with something odd beside it."""
    return Case(_files(**more))


def _more(files: Mapping[str, Any], *codes: str) -> Case:
    return Case(_files() | dict(files), codes=codes)


FOREIGN = "[console_scripts]\n"
INVALID = [
    "s = shop:Sink # a note\n",
    "s =\n",
    "s = shop\n",
    "s = shop:\n",
    "s = :Sink\n",
    "s = 9x:Sink\n",
    "s = shop:Sink()\n",
    "s = shop.Sink\n",
    "s = shop:Sink:X\n",
    "s = not-an-id:Sink\n",
    " = shop:Sink\n",
    "just words\n",
    "s : shop:Sink\n",
    "s = shop:Sink; x\n",
    "s = ../shop:Sink\n",
    "s = shop:Si nk\n",
]
MANIFESTS = {
    "byte order mark": _manifest(b"\xef\xbb\xbf" + MANIFEST.encode(), "ep-bom"),
    "CRLF": _manifest(MANIFEST.replace("\n", "\r\n")),
    "CR": _manifest(MANIFEST.replace("\n", "\r")),
    "no end of line": _manifest(MANIFEST.strip()),
    "comments": _manifest(f"# a\n; b\n\n{GROUP}# c\n\n{ENTRY}; d\n"),
    "indented": _manifest(f"  {GROUP}\t{ENTRY}"),
    "no blanks": _manifest(f"{GROUP}s=shop:Sink"),
    "many blanks": _manifest(f"{GROUP}s  =  shop : Sink  \n"),
    "blanks in header": _manifest("[ plugwright.SinkConnector ]\n" + ENTRY),
    "open header": _manifest("[plugwright.SinkConnector\n" + ENTRY, "ep-syntax"),
    "extras": _manifest(f"{GROUP}s = shop:Sink [x, y]\n", "ep-extras"),
    "continuation": _manifest(f"{GROUP}s =\n   shop:Sink\n", "ep-continuation"),
    "bad neighbours": _manifest(f"{GROUP}a b\n{ENTRY}c\n", "ep-syntax"),
    "foreign without equals": _manifest(f"{FOREIGN}broken\n{MANIFEST}", "ep-syntax"),
    "foreign bytes": _manifest(f"{FOREIGN}x = ".encode() + b"\xff\n" + MANIFEST.encode()),
    "foreign NUL": _manifest(f"{FOREIGN}x = \0\n{MANIFEST}"),
    "before any header": _manifest(f"x = y:z\n{MANIFEST}"),
    "own bytes": _manifest(GROUP.encode() + b"\xff = a:B\n" + ENTRY.encode(), "ep-encoding"),
    "the same line twice": _manifest(MANIFEST + ENTRY),
    "the group twice": _manifest(f"{MANIFEST}{FOREIGN}x = y:z\n{MANIFEST}"),
    "a name beyond ASCII": _manifest(f"{GROUP}größe = shop:Sink\n"),
    "a name that steers a terminal": _manifest(f"{GROUP}\x1b[2J = shop:Sink\n"),
    "a name from right to left": _manifest(f"{GROUP}\u202eknis = shop:Sink\n"),
    "a very long name": _manifest(f"{GROUP}{'n' * 60000} = shop:Sink\n"),
    "a million blanks": _manifest(MANIFEST + " " * 1_000_000),
    "many foreign entries": _manifest(FOREIGN + "x = y:z\n" * 60_000 + MANIFEST),
    "a link to a good one": _manifest(_link("../../.outside/e.txt", MANIFEST)),
    "UTF-16": _lost(MANIFEST.encode("utf-16"), "ep-encoding"),
    "misspelt": _lost(MANIFEST.replace("Connector]", "Connectr]"), "ep-unknown-group"),
    "small letters": _lost(MANIFEST.replace("Sink]", "sink]").lower().replace("shop:sink", "a:B")),
    "too large": _lost(MANIFEST + "#" * (2 << 20), "ep-too-large"),
    "empty": _lost(""),
    "only a header": _lost(GROUP),
    "another group": _lost("[kafka.SinkConnector]\n" + ENTRY),
    "a directory": _lost(None, "ep-not-regular"),
    "a pipe": _lost(os.mkfifo, "ep-not-regular"),
    "a socket": _lost(_socket, "ep-not-regular"),
    "a device": _lost(_device, "ep-not-regular"),
    "a link to itself": _lost(_loop, "ep-not-regular"),
    "a dangling link": _lost(_link("nowhere")),
    "none": _lost(...),
    **{f"value {number}": _lost(GROUP + line, "ep-syntax") for number, line in enumerate(INVALID)},
    "two classes of one name": Case(
        _files(f"{MANIFEST}s = shop:Two\n", SINK + "class Two(Sink): pass\n"),
        frozenset({"shop.Sink", "shop.Two"}),
        frozenset({"shop.Sink", "shop.Two"}),
        codes=("ep-duplicate",),
    ),
    "nested": Case(
        _files(f"{GROUP}s = shop:Outer.Sink\n", "class Outer:\n" + SINK.replace("\n", "\n    ")
               .replace("from plugwright", "    from plugwright", 1)),
        frozenset({"shop.Outer.Sink"}),
        frozenset({"shop.Outer.Sink"}),
    ),
}  # fmt: skip
METADATA = {
    "no METADATA": Case(_files(metadata=...), codes=("no-metadata",)),
    "empty METADATA": Case(_files(metadata=""), codes=("no-metadata",)),
    "binary METADATA": Case(_files(metadata=b"\0\xff\xfe\x01"), codes=("no-metadata",)),
    "METADATA in Latin-1": Case(_files(metadata=META.encode() + b"Author: M\xfcller\n")),
    "without a version": Case(_files(metadata="Name: shop\n"), codes=("no-metadata",)),
    "without a name": Case(_files(metadata="Version: 1\n"), codes=("no-metadata",)),
    "a name that climbs": Case(_files(metadata=META.replace("shop", "../../shop"))),
    "a version of nobody": Case(
        _files(metadata=META.replace("1.0", "one")), codes=("version-invalid",)
    ),
    "for another Python": Case(
        _files(metadata=META.replace("\n\n", "\nRequires-Python: >=99\n\n")),
        NONE, NONE, codes=("requires-python",),
    ),
    "for nobody knows what": Case(
        _files(metadata=META.replace("\n\n", "\nRequires-Python: snake\n\n"))
    ),
    "METADATA pipe": Case(_files(metadata=os.mkfifo), codes=("no-metadata",)),
    "METADATA directory": Case(_files(metadata=None), codes=("no-metadata",)),
    "METADATA link to itself": Case(_files(metadata=_loop), codes=("no-metadata",)),
    "METADATA of a megabyte": Case(_files(metadata=META + "word " * 200_000)),
    "header of a megabyte": Case(_files(metadata=META.replace("\n\n", "\nX: y" * 200_000 + "\n\n"))),
    "an older one left": _more({"shop-0.9.dist-info": None}),
    "an older one complete": _more(
        {
            "shop-0.9.dist-info/METADATA": META.replace("1.0", "0.9"),
            "shop-0.9.dist-info/entry_points.txt": GROUP + "old = shop:Old\n",
        },
        "dist-duplicate",
    ),
    "pip was interrupted": _more(
        {
            "~hop-9.0.dist-info/METADATA": META.replace("1.0", "9.0"),
            "~hop-9.0.dist-info/entry_points.txt": GROUP + "old = shop:Old\n",
            "~hop/__init__.py": SINK,
        },
        "dist-interrupted",
    ),
    "a file named so": _more({"x-1.dist-info": "x"}),
    "a stray egg-info": _more({"README.egg-info": ""}),
    "a pipe named so": _more({"x-1.dist-info": os.mkfifo}),
    "a link to itself named so": _more({"x-1.dist-info": _loop}),
    "another one that is broken": _more({"x-1.dist-info/entry_points.txt": b"\xff\xfe\0[\0"}),
    "RECORD lies": _more({f"{DIST}/RECORD": "gone.py,sha256=x,9\nshop.py,,1\n"}),
    "RECORD is no table": _more({f"{DIST}/RECORD": b'"\0\xff,,,,"\n\n,,\n'}),
    "RECORD climbs": _more({f"{DIST}/RECORD": "../../../etc/passwd,,\n/etc/passwd,,\n"}),
    "RECORD pipe": _more({f"{DIST}/RECORD": os.mkfifo}),
    "RECORD device": _more({f"{DIST}/RECORD": _device}),
    "signed": _more({f"{DIST}/RECORD.jws": "x"}, "signed-artifact"),
    "editable": _more(
        {f"{DIST}/direct_url.json": '{"url": "file:///x", "dir_info": {"editable": true}}'},
        "editable",
    ),
    "an endless origin": _more({f"{DIST}/direct_url.json": "[" * 60_000}),
    "an origin pipe": _more({f"{DIST}/direct_url.json": os.mkfifo}),
    "top_level pipe": _more({f"{DIST}/top_level.txt": os.mkfifo}),
    "unusual spelling": Case(
        {"shop.py": SINK, "Shop-1.0.Dist-Info/METADATA": META,
         "Shop-1.0.Dist-Info/entry_points.txt": MANIFEST}
    ),
    "egg-info": Case(
        {"shop.py": SINK, "shop.egg-info/PKG-INFO": META, "shop.egg-info/entry_points.txt": MANIFEST}
    ),
    "EGG-INFO": Case(
        {"shop.py": SINK, "EGG-INFO/PKG-INFO": META, "EGG-INFO/entry_points.txt": MANIFEST}
    ),
    "egg-info file": Case({"shop.py": SINK, "shop-1.0.egg-info": META}, declared=NONE),
    "no distribution": Case({"shop.py": SINK}, declared=NONE),
}  # fmt: skip
HANG = "import time\nwhile True: time.sleep(1)\n"
CODE = {
    "a missing module": Case(
        _files(code=...), ONE, NONE, ONE, codes=("target-missing",)
    ),
    "a missing name": _stale("x = 1\n", "target-missing"),
    "no class": _stale("Sink = 1\n", "target-not-class"),
    "abstract": _stale(
        "from plugwright import SinkConnector\nclass Sink(SinkConnector): pass\n", "target-abstract"
    ),
    "another base": _stale("class Sink: pass\n", "target-wrong-base"),
    "a source as a sink": Case(
        _files(code=SINK.replace("SinkConnector", "SourceConnector")),
        ONE, ONE, ONE, ONE, codes=("target-wrong-base",),
    ),
    "needs arguments": _stale(
        SINK + "    def __init__(self, x): pass\n", "target-needs-arguments"
    ),
    "raises": _stale("raise ValueError('no')\n", "import-error"),
    "raises what is no exception": _stale("class E(BaseException): pass\nraise E\n"),
    "raises what cannot be written out": _stale(
        "class E(Exception):\n    def __str__(self): raise ValueError\nraise E\n", "import-error"
    ),
    "interrupts": _stale("raise KeyboardInterrupt\n"),
    "ends a generator": _stale("raise GeneratorExit\n"),
    "exits": _stale("import sys; sys.exit(3)\n", "import-exit"),
    "exits with words": _stale("raise SystemExit('bye')\n", "import-exit"),
    "recurses": _stale("def f(): f()\nf()\n", "import-error"),
    "warns as errors": _stale(
        "import warnings; warnings.simplefilter('error'); warnings.warn('x')\n", "import-error"
    ),
    "lacks a package": _stale("import nowhere_to_be_found\n", "import-error"),
    "syntax": _stale("def\n", "import-error"),
    "NUL in the text": Case(_files(code=b"x = 1\0\n"), ONE, NONE, ONE),
    "a bad cookie": Case(_files(code=b"# -*- coding: nothing -*-\n"), ONE, NONE, ONE),
    "text in UTF-16": Case(_files(code=SINK.encode("utf-16")), ONE, NONE, ONE),
    "dies at once": _open_question("import os; os._exit(0)\n", "import-crash"),
    "dies of a signal": _open_question("import os; os.kill(os.getpid(), 9)\n", "import-crash"),
    "aborts": _open_question("import os; os.abort()\n", "import-crash"),
    "hangs": _open_question(HANG, "import-timeout"),
    "takes all memory": _open_question("x = bytearray(64 << 30)\n", "import-memory"),
    "closes everything": _open_question("import os; os.closerange(0, 99)\n", "import-crash"),
    "breaks the answer": _open_question("import json; json.dumps = None\n", "import-crash"),
    "replaces itself": _beside(
        code=f"{SINK}import sys, types\nm = types.ModuleType(__name__)\nm.Sink = Sink\n"
        "sys.modules[__name__] = m\n"
    ),
    "prints a lot": _beside(code=f"{SINK}print('x' * 10_000_000)\n"),
    "prints what steers": _beside(code=f"{SINK}print('\\x1b[2J')\n"),
    "forks": _beside(code=f"{SINK}import os, time\nif not os.fork():\n    time.sleep(99)\n"),
    "starts a process": _beside(
        code=f"{SINK}import subprocess\nsubprocess.Popen(['sleep', '99'])\n"
    ),
    "starts a thread": _beside(
        code=f"{SINK}import threading, time\nthreading.Thread(target=time.sleep, args=(99,)).start()\n"
    ),
    "hangs at exit": _beside(code=f"{SINK}import atexit, time\natexit.register(time.sleep, 99)\n"),
    "moves away": _beside(code=f"{SINK}import os, sys\nos.chdir('/')\nsys.path.clear()\n"),
    "closes its output": _beside(code=f"{SINK}import sys; sys.stdout.close()\n"),
    "an odd signature": _beside(code=f"{SINK}    __signature__ = 5\n    def __init__(self): pass\n"),
    "made on demand": Case(
        _files(code=f"def __getattr__(name):\n    exec({SINK!r}, globals())\n    return Sink\n"),
        ONE, NONE,
    ),
    "without a source": Case(_files(code=..., **{"shop.pyc": _compiled})),
    "without a source, undeclared": Case(_files("", code=..., **{"shop.pyc": _compiled}), NONE),
    "for another Python": Case(
        _files(code=..., **{"shop.cpython-27m-x86_64-linux-gnu.so": b"\x7fELF"}), ONE, NONE, ONE,
        codes=("import-error",),
    ),
    "only a cache": Case(
        _files(code=..., **{"__pycache__/shop.cpython-311.pyc": _compiled}), ONE, NONE, ONE
    ),
    "a linked module": _beside(code=_link("../.outside/m.py", SINK)),
    "a module that is a link to itself": Case(_files(code=_loop), ONE, NONE, ONE),
    "a module that is a pipe": _more({"evil.py": os.mkfifo}),
    "a module that is a device": _more({"evil.py": _device}),
    "a directory named as a module": _more({"evil.py": None}),
    "a module of 5 MB": _more({"big.py": f"# {SINK}" + "#" * (5 << 20)}, "scan-too-large"),
    "a deep module": _more({"deep.py": "# plugwright SinkConnector\nx = " + "(" * 9000}, "scan-syntax"),
    "a compiled module of nothing": _more(
        {"bad.abi3.so": b"plugwright SinkConnector"}, "import-error"
    ),
    "a library's name": _more({"json.py": "raise ValueError\n", "typing.py": "raise ValueError\n"}),
    "the runtime's name": _more({"plugwright/__init__.py": "raise ValueError\n"}, "api-bundled"),
    "customize": _more({"sitecustomize.py": "1 / 0\n", "usercustomize.py": "1 / 0\n"}),
    "a path file": _more({"evil.pth": "import os; os._exit(1)\n"}, "pth-present"),
    "a start file": _more({"evil.start": "os:_exit"}, "start-present"),
    "an editable path file": _more({"__editable__.x.pth": "/nowhere\n"}, "editable"),
    "an egg link": _more({"x.egg-link": "/nowhere\n."}, "editable"),
    "names of files": _more({"a\nb/x.py": SINK, "c\x1bd.py": SINK, "\u202ey z.py": SINK}),
    "a name that is no text": _more({os.fsdecode(b"\xff.py"): SINK}),
    "cases of one name": _more({"Shop.txt": "", "SHOP.md": ""}),
    "a link to the parent": _more({"up": lambda path: path.symlink_to(path.parents[1])}),
    "a link to itself": _more({"up": lambda path: path.symlink_to(path.parent)}),
    "archives beside": _more({"x.zip": "no archive", "y.whl": "none"}, "archives-ignored"),
    "an environment's name": _more({"pyvenv.cfg": "home = /\n"}),
    "a package with an init file at its top": _more({"__init__.py": ""}),
    "a virtual subclass": Case(
        _files(GROUP, "from plugwright import SinkConnector\nclass V: pass\nSinkConnector.register(V)\n"),
        NONE, NONE,
    ),
    "private": Case(_files("", SINK.replace("class Sink", "class _Sink")), NONE, NONE),
    "conditional": Case(_files("", "if True:\n    " + SINK.replace("\n", "\n    ")), NONE),
    "tests": Case({"tests/__init__.py": SINK}, NONE, frozenset({"tests.Sink"})),
    "a keyword": Case({"lambda.py": SINK}, NONE, frozenset({"lambda.Sink"})),
    "a namespace": Case(
        {"ns/shop.py": SINK, f"{DIST}/METADATA": META,
         f"{DIST}/entry_points.txt": f"{GROUP}s = ns.shop:Sink\n"},
        frozenset({"ns.shop.Sink"}), frozenset({"ns.shop.Sink"}),
    ),
    "beyond ASCII": Case(
        {"größe.py": SINK, f"{DIST}/METADATA": META,
         f"{DIST}/entry_points.txt": f"{GROUP}s = größe:Sink\n"},
        frozenset({"größe.Sink"}), frozenset({"größe.Sink"}),
    ),
    "marks apart from their letters": Case(
        {f"{APART}.py": SINK, f"{DIST}/METADATA": META,
         f"{DIST}/entry_points.txt": f"{GROUP}s = {APART}:Sink\n"},
        frozenset({f"{APART}.Sink"}), frozenset({f"{APART}.Sink"}),
    ),
    "marks apart, undeclared": Case(
        {f"{APART}.py": SINK, f"{DIST}/METADATA": META}, NONE, frozenset({f"{APART}.Sink"})
    ),
    "marks together for apart": Case(
        {f"{APART}.py": SINK, f"{DIST}/METADATA": META,
         f"{DIST}/entry_points.txt": f"{GROUP}s = größe:Sink\n"},
        frozenset({"größe.Sink"}), frozenset({f"{APART}.Sink"}), frozenset({"größe.Sink"}),
        codes=("target-missing",),
    ),
    "a script with vowel signs": Case(
        {"नमस्ते.py": SINK, f"{DIST}/METADATA": META,
         f"{DIST}/entry_points.txt": f"{GROUP}s = नमस्ते:Sink\n"},
        frozenset({"नमस्ते.Sink"}), frozenset({"नमस्ते.Sink"}),
    ),
    "another file": _beside(code=f"{SINK}__file__ = '/etc/passwd'\n"),
    "no file": _beside(code=f"{SINK}del __file__\n"),
    "a file of a number": _beside(code=f"{SINK}__file__ = 7\n"),
    "a file of half a character": _beside(code=f"{SINK}__file__ = '\\ud800'\n"),
    "a file with NUL": _beside(code=f"{SINK}__file__ = '/x\\0y'\n"),
    "a file of ten megabytes": _beside(code=f"{SINK}__file__ = 'a' * 10_000_000\n"),
    "another file, undeclared": Case(_files("", f"{SINK}__file__ = '/etc/passwd'\n"), NONE),
    "no spec": _beside(code=f"{SINK}__spec__ = None\n"),
    "another name": _beside(code=f"{SINK}__name__ = 'json'\n"),
    "an exception that exits when it is shown": _stale(
        f"{SINK}class E(Exception):\n    def __str__(self): raise SystemExit\nraise E\n",
        "import-error",
    ),
    "a class of a very long name": _stale(
        "class Sink: pass\nraise type('E' * 20_000_000, (Exception,), {})\n", "import-error"
    ),
    "sys": _taken("sys"),
    "builtins": _taken("builtins"),
    "a library's, declared": _taken("json"),
    "the runtime's, declared": _taken("plugwright"),
    "the main module": _taken("__main__"),
    "processes": _more({"me": lambda path: path.symlink_to("/proc/self")}),
    "the working directory": _more({"me": lambda path: path.symlink_to("/proc/self/cwd")}),
    "devices": _more({"me": lambda path: path.symlink_to("/sys")}),
    "everything": _more({"me": lambda path: path.symlink_to("/")}),
    "exported": Case(
        {"shop/__init__.py": "from shop.impl import Sink\n", "shop/impl.py": SINK,
         f"{DIST}/METADATA": META, f"{DIST}/entry_points.txt": MANIFEST},
        ONE, frozenset({"shop.impl.Sink"}), lacking=NONE,
    ),
    "in a circle": Case(
        _files() | {"a.py": "import b\n" + SINK, "b.py": "import a\n"}, found=ONE | {"a.Sink"}
    ),
    "a duck": Case(_files("", "class SinkConnector: pass\nclass Sink(SinkConnector): pass\n"),
                   NONE, NONE),
}  # fmt: skip
WHEEL = {"shop.py": SINK, f"{DIST}/METADATA": META, f"{DIST}/entry_points.txt": MANIFEST}
BOMB = {**WHEEL, "zeros": "0" * (9 << 20)}


def _archive(what: Any, suffix: str, *codes: str, good: bool = False) -> Case:
    found = ONE if good else NONE
    return Case({"": what}, found, found, codes=codes, suffix=suffix)


W = "-1.0-py3-none-any.whl"
ARCHIVES = {
    "wheel": _archive(_zip(WHEEL), W, good=True),
    "WHEEL": _archive(_zip(WHEEL), W.replace("whl", "WHL"), good=True),
    "zip": _archive(_zip(WHEEL), ".zip", good=True),
    "pyz": _archive(_zip(WHEEL, b"#!/usr/bin/python\n"), ".pyz", good=True),
    "egg": _archive(
        _zip({"shop.py": SINK, "EGG-INFO/PKG-INFO": META, "EGG-INFO/entry_points.txt": MANIFEST}),
        ".egg", good=True,
    ),
    "data": _archive(_zip({(f"shop-1.0.data/purelib/{n}" if n == "shop.py" else n): t
                           for n, t in WHEEL.items()}), W, good=True),
    "empty": _archive("", W, "zip-invalid"),
    "words": _archive("no archive", ".zip", "zip-invalid"),
    "cut": _archive(_zip(WHEEL, cut=30), W, "zip-invalid"),
    "preceded": _archive(_zip(WHEEL, b"hidden"), ".zip", "zip-invalid"),
    "climbs": _archive(_zip({**WHEEL, "../evil.py": ""}), W, "zip-unsafe-name"),
    "absolute": _archive(_zip({**WHEEL, "/evil.py": ""}), W, "zip-unsafe-name"),
    "controls": _archive(_zip({**WHEEL, "a\x1b.py": ""}), W, "zip-unsafe-name"),
    "cases": _archive(_zip({**WHEEL, "SHOP.py": ""}), W, "zip-unsafe-name"),
    "bomb": _archive(_zip(BOMB), W, "zip-bomb"),
    "platform": _archive(_zip(WHEEL), "-1.0-cp27-cp27m-win32.whl", "tag-unsupported"),
    "misnamed": _archive(_zip(WHEEL), ".whl", "wheel-name"),
    "archive pipe": _archive(os.mkfifo, ".zip"),
    "archive link": _archive(_loop, ".zip"),
    "module": Case({"": SINK}, NONE, frozenset({"module.Sink"}), suffix=".py"),
    "bad_module": Case({"": "1 / 0  # plugwright SinkConnector\n"}, NONE, NONE, suffix=".py"),
    "hollow": Case({".x": None}, NONE, NONE),
    "prose": Case({"README.md": "words"}, NONE, NONE),
    "dangling": _archive(_link("nowhere"), "", "location-unreadable"),
    "loop": _archive(_loop, "", "location-unreadable"),
    "view": _archive(_link("/proc/self"), "", "location-unreadable"),
    "views": _archive(_link("/proc"), "", "location-unreadable"),
    "devices": _archive(_link("/sys/class"), "", "location-unreadable"),
    "back": _archive(lambda path: path.symlink_to(path.parent), "", "link-to-parent"),
}  # fmt: skip
CASES: Mapping[str, Case] = {
    **{f"manifest: {name}": case for name, case in MANIFESTS.items()},
    **{f"metadata: {name}": case for name, case in METADATA.items()},
    **{f"code: {name}": case for name, case in CODE.items()},
    **ARCHIVES,
}
