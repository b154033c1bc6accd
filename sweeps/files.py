"""The store's small files: JSON that is whole or absent, folders renamed into place, lines appended in one write."""

import errno
import json
import os
import shutil
from pathlib import Path
from typing import Any

from cuascore.errors import UserError
from cuascore.files import write_file


def write_json(path: Path, value: Any) -> None:
    """Write JSON, whole or not at all."""
    write_file(path, json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False))


def read_json(path: Path) -> Any:
    """Read a JSON file.

    Raises:
        UserError: it is absent or damaged.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"{path}: no such file") from None
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: damaged ({error}); remove it and run again") from None


def commit_folder(temporary: Path, final: Path) -> None:
    """Flush every file of a folder to the disk, then rename it into place."""
    for file in [*(f for f in temporary.rglob("*") if f.is_file()), temporary]:
        descriptor = os.open(file, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    try:
        os.rename(temporary, final)
    except OSError as error:
        if error.errno not in (errno.EEXIST, errno.ENOTEMPTY):
            raise
        # Somebody finished the same digest first: both results are the same by construction, the first one stays.
        shutil.rmtree(temporary)


def append_line(path: Path, value: Any) -> None:
    """Append one JSON line in a single write, so that lines of several processes do not mix."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        os.write(descriptor, (json.dumps(value, sort_keys=True) + "\n").encode())
    finally:
        os.close(descriptor)
