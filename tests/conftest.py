"""Tiny real encoders and data, built once a session: the whole chain runs on them in seconds, with no network."""

import os
from pathlib import Path

import pytest

from tests.tiny import write_folder, write_text_encoder, write_vision_encoder

STUDY = """
study: tiny
title: Tiny study
system: intentscore
preset: paper
data: {{dataset: folder, target: all}}
seeds: 2
columns: [hard_accuracy, real_incorrect_accuracy, hard_gap_mean]
base:
  encoders: {{text: "{text}", vision: "local-dir:{vision}"}}
  model: {{embedding_width: 8, modality_width: 8, hidden_width: 16}}
  loss: {{margin_weight: 0.0, margin: 0.2}}
  word_dropout: {{variants: 1}}
  training: {{batch_size: 16, epochs: 2, learning_rate: 0.01, patience: 5}}
  pretraining: {{kind: none, epochs: 2}}
rows:
  named:
    - name: Alignment only
      paper: {{hard_accuracy: 0.866}}
    - name: Margin only
      set: {{loss.alignment_weight: 0.0, loss.margin_weight: 2.0}}
    - name: Both losses
      set: {{loss.margin_weight: 2.0}}
"""


def pytest_configure() -> None:
    """One thread of torch: the networks are tiny, and threads that wait for each other cost more than they bring."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")


@pytest.fixture(scope="session")
def tiny_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An AgentNet-shaped folder: 18 trajectories of 4 steps on three systems, a rejected action each."""
    return write_folder(tmp_path_factory.mktemp("data") / "tiny")


@pytest.fixture(scope="session")
def tiny_encoders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Folders of a randomly initialised sentence-transformers model and of an open_clip model."""
    folder = tmp_path_factory.mktemp("encoders")
    return write_text_encoder(folder / "text"), write_vision_encoder(folder / "vision")


@pytest.fixture(scope="session")
def tiny_study(tmp_path_factory: pytest.TempPathFactory, tiny_encoders: tuple[Path, Path]) -> Path:
    """A study file over the tiny data: three rows, two seeds, two epochs."""
    path = tmp_path_factory.mktemp("study") / "tiny.yaml"
    text, vision = tiny_encoders
    path.write_text(STUDY.format(text=text, vision=vision))
    return path
