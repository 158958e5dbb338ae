"""A kit for an object store that fsspec can reach."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

import fsspec

from plugwright_conformance.subject.kits._endpoint import KitEndpoint, decoder, encoder, run_name
from plugwright_conformance.subject.kits._files import whole_lines

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

__all__ = ["ObjectsKit"]


class ObjectsKit(KitEndpoint):
    """Objects below a prefix of the run's own, which hold a value in each line or one each."""

    def __init__(self, options: Mapping[str, Any], directory: Path) -> None:
        super().__init__(options, directory)
        self._url = f"{options['url'].rstrip('/')}/{run_name(directory)}"
        self._suffix = options.get("suffix", ".txt")
        self._whole = options.get("content", "lines") == "value"

    def stop(self) -> None:
        """Remove every object of the run."""
        store, root = self._store()
        if store.exists(root):
            store.rm(root, recursive=True)

    def seed(self, values: Sequence[Any]) -> None:
        """Add one object of lines, or an object for every value."""
        texts = [*map(encoder(self._options), values)]
        if self._whole:
            self._write(texts)
        elif texts:
            self._write(["".join(f"{text}\n" for text in texts)])

    def read_back(self) -> list[Any]:
        """Every value, by the names of the objects."""
        decode = decoder(self._options)
        store, _ = self._store()
        contents = [store.cat_file(name) for name in self._names()]
        if self._whole:
            return [decode(content.decode()) for content in contents]
        return [decode(line) for content in contents for line in whole_lines(content)]

    def _open(self) -> Mapping[str, str]:
        store, root = self._store()
        store.makedirs(root, exist_ok=True)
        return {"url": self._url, "root": self._options["url"].rstrip("/"), "prefix": root}

    def _write(self, contents: Sequence[str]) -> None:
        store, root = self._store()
        taken = set(self._names())
        free = (name for n in count() if (name := f"{root}/{n:08d}{self._suffix}") not in taken)
        for content in contents:
            store.pipe_file(next(free), content.encode())

    def _names(self) -> list[str]:
        store, root = self._store()
        store.invalidate_cache()
        return sorted(name for name in store.find(root) if name.endswith(self._suffix))

    def _store(self) -> tuple[fsspec.AbstractFileSystem, str]:
        store, root = fsspec.core.url_to_fs(self._url, **self._options.get("storage", {}))
        return store, root
