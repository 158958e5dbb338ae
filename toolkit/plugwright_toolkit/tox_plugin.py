"""tox installs the plugwright that it runs beside, also where no package index has it.

Before an environment is given something that needs plugwright, pip (and uv) are shown a wheel of
the running installation, as one more place to look: what a project asks for, such as another
version, still decides. Loaded with every tox run in an environment that has plugwright, so nothing
is done for projects that do not need it. ``TOX_DISABLED_EXTERNAL_PLUGINS=plugwright`` turns it off.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.error import URLError

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name
from tox.config.set_env import SetEnv
from tox.plugin import impl
from tox.tox_env.errors import Recreate
from tox.tox_env.python.pip.req_file import PythonDeps

from plugwright_toolkit.own_wheel import DISTRIBUTION, write_own_wheel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tox.tox_env.api import ToxEnv
    from tox.tox_env.installer import InstallArguments

__all__ = ["tox_on_install"]

_LOGGER = logging.getLogger(__name__)
_PLACES = {"PIP_FIND_LINKS": " ", "UV_FIND_LINKS": ","}
"""Where installers look besides the index, and what they expect between two places."""


@impl
def tox_on_install(tox_env: ToxEnv, arguments: InstallArguments) -> None:
    """Offer the running plugwright before the first installation that asks for plugwright.

    An environment that was made with another offer is made anew, so that nothing is tested against
    what the author has replaced.

    Raises:
        Recreate: in that case; tox starts this environment again.
    """
    if DISTRIBUTION not in set(_asked_for(arguments)):
        return
    directory = tox_env.core.get("work_dir", Path) / f".{DISTRIBUTION}"
    place = directory.as_uri()
    if place in tox_env.environment_variables.get("PIP_FIND_LINKS", "").split():
        return
    try:
        wheel = write_own_wheel(directory)
    except (ImportError, OSError) as error:
        _LOGGER.warning("%s of this installation cannot be offered: %s", DISTRIBUTION, error)
        return
    with tox_env.cache.compare({"record": wheel.digest}, DISTRIBUTION) as (same, before):
        if before is not None and not same:
            raise Recreate(f"the {DISTRIBUTION} in {wheel.origin} changed")
    _show(tox_env, place)
    if not same:
        _LOGGER.warning("offers %s %s from %s", DISTRIBUTION, wheel.version, wheel.origin)


def _asked_for(arguments: InstallArguments) -> Iterator[str]:
    """Normalized names of what is about to be installed, and of what that needs."""
    if isinstance(arguments, PythonDeps):
        for line in _lines(arguments):
            with suppress(InvalidRequirement):  # an option, or a path
                yield canonicalize_name(Requirement(line).name)
    elif isinstance(arguments, Sequence):
        for each in arguments:
            asked = [each] if isinstance(each, Requirement) else getattr(each, "deps", ())
            yield from (canonicalize_name(requirement.name) for requirement in asked)


def _lines(deps: PythonDeps) -> Sequence[str]:
    try:
        return deps.unroll()[1]
    except (URLError, ValueError):  # tox says so itself, when it installs them
        return ()


def _show(tox_env: ToxEnv, place: str) -> None:
    known = tox_env.environment_variables
    places = {
        variable: f"{known[variable]}{separator}{place}" if known.get(variable) else place
        for variable, separator in _PLACES.items()
    }
    tox_env.conf.get("set_env", SetEnv).update(places)
