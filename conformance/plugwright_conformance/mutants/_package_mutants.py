"""The mutants whose code is right and whose package is wrong."""

from __future__ import annotations

from plugwright_conformance.mutants._mutant import Mutant
from plugwright_conformance.mutants._package_faults import (
    change_version,
    claim_wrong_group,
    drop_licence_expression,
    drop_licence_text,
    misspell_group,
    name_class_oddly,
    pin_runtime,
    rename_class_in_manifest,
    rename_example_key,
    require_runtime_extra,
    require_spark,
)

__all__ = ["PACKAGE_MUTANTS"]

PACKAGE_MUTANTS = (
    Mutant(
        id="M004",
        fault="entry point to a class that was renamed",
        base="file-sink",
        killed_by="PLG-PKG-03",
        says="has no TextFileSinkConnector",
        spoil=rename_class_in_manifest,
    ),
    Mutant(
        id="M005",
        fault="sink class listed in the source group",
        base="file-sink",
        killed_by="PLG-PKG-03",
        says="is not a subclass of plugwright.SourceConnector",
        spoil=claim_wrong_group,
    ),
    Mutant(
        id="M008",
        fault="depends unconditionally on one exact Spark version",
        base="file-sink",
        killed_by="PLG-PKG-06",
        says="pyspark",
        spoil=require_spark,
    ),
    Mutant(
        id="M008a",
        fault="drags Spark in through an extra of the runtime",
        base="file-source",
        killed_by="PLG-PKG-06",
        says="plugwright[spark]",
        spoil=require_runtime_extra,
    ),
    Mutant(
        id="M008b",
        fault="depends on one exact release of the runtime",
        base="file-source",
        killed_by="PLG-PKG-06",
        says="by a range",
        spoil=pin_runtime,
    ),
    Mutant(
        id="M009",
        fault="version() is a constant that was not raised with the release",
        base="file-sink",
        killed_by="PLG-PKG-08",
        says="version 0.2.0",
        spoil=change_version,
    ),
    Mutant(
        id="M010",
        fault="licence file missing from the wheel",
        base="file-sink",
        killed_by="PLG-PKG-10",
        says="shipped: none",
        spoil=drop_licence_text,
    ),
    Mutant(
        id="M010a",
        fault="licence stated in words",
        base="file-source",
        killed_by="PLG-PKG-10",
        says="SPDX",
        spoil=drop_licence_expression,
    ),
    Mutant(
        id="M029",
        fault="published example uses a key of an older version",
        base="file-source",
        killed_by="CON-CFG-08",
        says="topic:",
        spoil=rename_example_key,
    ),
    Mutant(
        id="M163",
        fault="entry-point group misspelt",
        base="file-sink",
        killed_by="PLG-DSC-02",
        says="plugwright.Convertor",
        spoil=misspell_group,
    ),
    Mutant(
        id="M172",
        fault="class name does not say what it is",
        base="file-sink",
        killed_by="PLG-PKG-09",
        says="FileLines",
        spoil=name_class_oddly,
    ),
)
"""In the order of their ids."""
