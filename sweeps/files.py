"""Small files that are either whole or absent, and kernel locks that die with their holder."""

import errno
import fcntl
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cuascore.errors import UserError


def write_json(path: Path, value: Any) -> None:
    """Write JSON under a temporary name, flush it to the disk and rename it into place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(prefix=".tmp-", dir=path.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(value, file, indent=1, sort_keys=True, ensure_ascii=False)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


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


@contextmanager
def lock(path: Path, wait: bool) -> Iterator[bool]:
    """Hold a kernel lock on a file of its own; yields False where it is taken and ``wait`` is False.

    ``lockf`` and not ``flock``: a forked child would keep the latter after its parent's death. The file is never
    removed, and must not be opened elsewhere in the process: closing any descriptor of it would drop the lock.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            yield False
            return
        yield True


def append_line(path: Path, value: Any) -> None:
    """Append one JSON line in a single write, so that lines of several processes do not mix."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        os.write(descriptor, (json.dumps(value, sort_keys=True) + "\n").encode())
    finally:
        os.close(descriptor)
