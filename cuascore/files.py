"""Files that are whole or not there, and kernel locks that die with their holder."""

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def write_file(path: Path, content: str | bytes) -> None:
    """Write under a temporary name in the folder, flush, rename: a reader sees the old file or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    data = content.encode("utf-8") if isinstance(content, str) else content
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".tmp-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


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
