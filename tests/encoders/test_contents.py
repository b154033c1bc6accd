"""Keys of screenshots: the file's bytes, read once."""

import hashlib
import os

import pytest

from cuascore.encoders import contents
from cuascore.encoders.contents import file_keys


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """No file is too young to be remembered."""
    monkeypatch.setattr(contents, "SETTLED_NANOSECONDS", -(10**12))


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the files that were read."""
    names: list[str] = []
    real = contents._content

    def content(path):
        names.append(path.name)
        return real(path)

    monkeypatch.setattr(contents, "_content", content)
    return names


def digests(paths):
    return [hashlib.sha256(path.read_bytes()).digest() for path in paths]


def test_files_are_read_once(screenshots, tmp_path, settled, read):
    for _ in range(3):
        assert file_keys(screenshots, tmp_path / "memory") == digests(screenshots)
    assert sorted(read) == sorted(path.name for path in screenshots)
    assert file_keys([screenshots[3], screenshots[3]], tmp_path / "memory") == digests([screenshots[3]]) * 2


def test_k14_a_file_written_anew_is_read_even_with_its_old_size_and_time(screenshots, tmp_path, settled, read):
    before = file_keys(screenshots, tmp_path / "memory")
    state = screenshots[1].stat()
    held = bytearray(screenshots[1].read_bytes())
    held[-1] ^= 1
    screenshots[1].write_bytes(held)
    os.utime(screenshots[1], ns=(state.st_atime_ns, state.st_mtime_ns))
    read.clear()
    after = file_keys(screenshots, tmp_path / "memory")
    assert read == [screenshots[1].name]
    assert after == digests(screenshots)
    assert [old == new for old, new in zip(before, after, strict=True)] == [True, False, True, True, True]


def test_young_files_are_not_remembered(screenshots, tmp_path, read):
    for _ in range(2):
        file_keys(screenshots, tmp_path / "memory")
    assert len(read) == 2 * len(screenshots)
    assert not (tmp_path / "memory").exists()
