"""Encoders here are tiny, or come from wheels; nothing may reach the network."""

import hashlib
import shutil
import socket
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw

from cuascore.encoders import FeatureStore, store

TEXTS = ["Click Save", "Click Cancel and wait for the dialog", "", "Click Save", "Type hello"]


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Every connection fails, no cache of this machine is seen, and no variable of its user counts."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a test asked the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    for name in ("CUASCORE_DOWNLOAD", "CUASCORE_MODELS"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def text_folder(tiny_encoders: tuple[Path, Path], tmp_path: Path) -> Path:
    """A copy of the tiny text encoder, to change."""
    return Path(shutil.copytree(tiny_encoders[0], tmp_path / "text"))


@pytest.fixture
def vision_folder(tiny_encoders: tuple[Path, Path], tmp_path: Path) -> Path:
    """A copy of the tiny vision encoder, to change."""
    return Path(shutil.copytree(tiny_encoders[1], tmp_path / "vision"))


@pytest.fixture
def screenshots(tmp_path: Path) -> list[Path]:
    """Five screenshots of 160 x 100 pixels, all different."""
    (tmp_path / "images").mkdir()
    return [screenshot(tmp_path / "images" / f"{number}.png", number) for number in range(5)]


def screenshot(path: Path, number: int = 0, marks: bool = True) -> Path:
    """Write a picture of 160 x 100 pixels; ``marks`` are white bars at its left and right edge."""
    picture = Image.new("RGB", (160, 100), (20, 60 + 20 * number, 90))
    # Off the middle, so that a turned or mirrored picture is another.
    ImageDraw.Draw(picture).rectangle((30, 10, 60, 30), fill="black")
    if marks:
        ImageDraw.Draw(picture).rectangle((0, 0, 9, 99), fill="white")
        ImageDraw.Draw(picture).rectangle((150, 0, 159, 99), fill="white")
    picture.save(path)
    return path


def put_in_hub(repository: str, file: Path, name: str, cache: Path) -> Path:
    """Lay a file out as the hub's client does after a download; returns its place."""
    folder = cache / f"models--{repository.replace('/', '--')}"
    (folder / "snapshots" / "abc").mkdir(parents=True, exist_ok=True)
    (folder / "refs").mkdir(exist_ok=True)
    (folder / "refs" / "main").write_text("abc")
    return Path(shutil.copy(file, folder / "snapshots" / "abc" / name))


class HashEncoder:
    """Stands in for a text encoder: 4 numbers from a text's digest, and a record of what it was asked."""

    width = 4

    def __init__(self) -> None:
        self.asked: list[str] = []

    @staticmethod
    def vector(text: str) -> np.ndarray:
        """The vector of one text."""
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
        return np.frombuffer(digest[:4], np.uint8).astype(np.float32) + 1

    def encode_sorted(self, texts):
        """Two texts a batch, longest first."""
        order = sorted(range(len(texts)), key=lambda i: -len(texts[i]))
        for start in range(0, len(order), 2):
            chosen = order[start : start + 2]
            self.asked += [texts[i] for i in chosen]
            yield np.array(chosen), np.stack([self.vector(texts[i]) for i in chosen])


@pytest.fixture
def hash_encoder(monkeypatch: pytest.MonkeyPatch) -> HashEncoder:
    """The store's text encoder, whatever the name, is a HashEncoder; its identity is its name and length."""
    encoder = HashEncoder()
    monkeypatch.setattr(store, "text_encoder", lambda name, **_: encoder)
    monkeypatch.setattr(store, "text_identity", lambda name, max_tokens, memory: {"name": name, "max": max_tokens})
    return encoder


@pytest.fixture
def features(tmp_path: Path) -> FeatureStore:
    """An empty store."""
    return FeatureStore(tmp_path / "store")


@pytest.fixture
def encoders(tiny_encoders, tmp_path) -> tuple[str, str]:
    """Copies that a test may change: (text folder, local-dir: name)."""
    text, vision = (shutil.copytree(folder, tmp_path / folder.name) for folder in tiny_encoders)
    return str(text), f"local-dir:{vision}"


@pytest.fixture
def pictures(tmp_path) -> list[Path]:
    """Three screenshots of one colour each."""
    paths = []
    for number in range(3):
        path = tmp_path / f"{number}.png"
        Image.new("RGB", (160, 100), (80 * number, 40, 90)).save(path)
        paths.append(path)
    return paths


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list:
    """Every text and path that reaches an encoder, in order."""
    seen: list = []
    real = store.fill

    def fill(shards, missing, *rest):
        seen.extend(item for _, item in missing)
        real(shards, missing, *rest)

    monkeypatch.setattr(store, "fill", fill)
    return seen
