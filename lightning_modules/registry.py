"""Finding systems: every package here that has a ``system.py`` with a ``SYSTEM`` is one."""

from importlib import import_module
from pathlib import Path
from typing import Any

from cuascore.errors import UserError, nearest
from lightning_modules.system import System


def system_names() -> list[str]:
    """Return the names of all systems, sorted."""
    return sorted(file.parent.name for file in Path(__file__).parent.glob("*/system.py"))


def load_system(name: str) -> System[Any]:
    """Return a system by name.

    Raises:
        UserError: there is none of that name.
    """
    if name not in system_names():
        raise UserError(f"unknown system {name!r}: {nearest(name, system_names())}")
    found: System[Any] = import_module(f"lightning_modules.{name}.system").SYSTEM
    return found
