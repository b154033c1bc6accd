"""Several processes and threads, kills and interrupts: nothing is embedded twice, nothing done is lost."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from cuascore.encoders import (
    FeatureStore,
    embedding,
)
from cuascore.encoders import store as store_module
from tests.encoders.conftest import HashEncoder


def _embed_slowly(root: str, count: int, asked: str) -> None:
    """Runs in a process of its own: two texts a batch, four a shard, ten batches a second."""

    class Slow(HashEncoder):
        def encode_sorted(self, texts):
            for chosen, vectors in super().encode_sorted(texts):
                time.sleep(0.1)
                Path(asked).write_text("\n".join(self.asked))
                yield chosen, vectors

    embedding.SHARD_ROWS = 4
    setattr(store_module, "text_encoder", lambda name, **_: Slow())  # noqa: B010
    setattr(store_module, "text_identity", lambda name, max_tokens, memory: {"name": name, "max": max_tokens})  # noqa: B010
    FeatureStore(Path(root)).ensure_texts("hash", [f"text {n}" for n in range(count)])


def test_k14_killed_half_way_it_goes_on_from_the_last_shard(tmp_path, features, hash_encoder):
    arguments = (str(tmp_path / "store"), 40, str(tmp_path / "asked"))
    process = multiprocessing.get_context("spawn").Process(target=_embed_slowly, args=arguments)
    process.start()
    until = time.monotonic() + 120
    while len(list(tmp_path.rglob("shard-*.keys.npy"))) < 2:
        assert process.is_alive()
        assert time.monotonic() < until
        time.sleep(0.02)
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    kept = 4 * len(list(tmp_path.rglob("shard-*.keys.npy")))
    assert kept < 40
    texts = [f"text {n}" for n in range(40)]
    table = features.ensure_texts("hash", texts, progress=False)
    assert len(hash_encoder.asked) == 40 - kept
    np.testing.assert_array_equal(table.gather(np.arange(40)), [hash_encoder.vector(text) for text in texts])


def test_k14_two_writers_embed_everything_once(tmp_path, capfd):
    context = multiprocessing.get_context("spawn")
    asked = [tmp_path / "asked-0", tmp_path / "asked-1"]
    jobs = [(str(tmp_path / "store"), 24, str(path)) for path in asked]
    processes = [context.Process(target=_embed_slowly, args=job) for job in jobs]
    for process in processes:
        process.start()
    for process in processes:
        process.join(120)
        assert process.exitcode == 0
    texts = [text for path in asked if path.exists() for text in path.read_text().split("\n")]
    assert sorted(texts) == sorted(f"text {n}" for n in range(24))
    keys = [key.tobytes() for file in tmp_path.rglob("shard-*.keys.npy") for key in np.load(file)]
    assert len(keys) == len(set(keys)) == 24


def test_k14_two_threads_embed_everything_once(tmp_path, hash_encoder):
    texts = [f"text {n}" for n in range(200)]
    with ThreadPoolExecutor(4) as threads:
        jobs = [threads.submit(FeatureStore(tmp_path).ensure_texts, "hash", texts, progress=False) for _ in range(4)]
        assert len({job.result().fingerprint for job in jobs}) == 1
    assert sorted(hash_encoder.asked) == sorted(texts)


def test_a_waiting_process_says_so_and_finds_what_the_other_wrote(tmp_path, features, hash_encoder, capsys):
    """The other process holds the lock, writes what is wanted, and lets go."""
    code = f"""
import sys, time
from pathlib import Path
from cuascore.encoders import FeatureStore, store
from tests.encoders.conftest import HashEncoder
class Slow(HashEncoder):
    def encode_sorted(self, texts):
        print("holding", flush=True)
        time.sleep(1)
        yield from super().encode_sorted(texts)
store.text_encoder = lambda name, **_: Slow()
store.text_identity = lambda name, max_tokens, memory: {{"name": name, "max": max_tokens}}
FeatureStore(Path({str(features.folder.parent)!r})).ensure_texts("hash", ["a", "b"], progress=False)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "holding\n"
        features.ensure_texts("hash", ["a", "b"], progress=False)
        assert other.wait(60) == 0
    assert hash_encoder.asked == []
    assert "another process is embedding here; waiting" in capsys.readouterr().err


@pytest.mark.parametrize("stop", [KeyboardInterrupt, RuntimeError])
def test_what_was_embedded_before_a_stop_is_kept(stop, features, hash_encoder, monkeypatch):
    real = HashEncoder.encode_sorted

    def encode_sorted(self, texts):
        for number, batch in enumerate(real(self, texts)):
            if number == 2:
                raise stop
            yield batch

    texts = [f"text {n}" for n in range(10)]
    monkeypatch.setattr(HashEncoder, "encode_sorted", encode_sorted)
    with pytest.raises(stop):
        features.ensure_texts("hash", texts, progress=False)
    hash_encoder.asked.clear()
    monkeypatch.setattr(HashEncoder, "encode_sorted", real)
    features.ensure_texts("hash", texts, progress=False)
    assert len(hash_encoder.asked) == 6
