"""A training stage: early stopping, the selected epoch, starting weights, and what cannot be trained on."""

import csv
import json

import pytest
import torch
from safetensors.torch import load_file

from cuascore.errors import UserError
from cuascore.trajectories.dataset import DataConfig, load_dataset
from lightning_modules.intentscore.config import IntentScoreConfig
from lightning_modules.intentscore.evaluation import evaluate
from lightning_modules.intentscore.features import random_features
from lightning_modules.intentscore.module import IntentScoreModule
from lightning_modules.intentscore.training import load_module, train
from tests.tiny import write_folder

SMALL = {
    "model.embedding_width": 8,
    "model.modality_width": 8,
    "model.hidden_width": 16,
    "word_dropout.variants": 1,
    "training.batch_size": 16,
    "training.learning_rate": 0.01,
    "pretraining.kind": "none",
    "pretraining.finetuning": {},
}
CONFIG = IntentScoreConfig().override(SMALL)


@pytest.fixture(scope="module")
def data(tiny_data):
    return load_dataset(DataConfig(dataset="folder"), tiny_data)


@pytest.fixture(scope="module")
def bank(data):
    return random_features(data, CONFIG.word_dropout)


def trained(data, bank, folder, config=CONFIG, epochs=3, **options):
    folder.mkdir()
    train(config, data, bank, data.target, 0, epochs, folder, "training", **options)
    return json.loads((folder / "selection.json").read_text())


def test_patience_ends_training_and_the_best_epoch_is_kept(data, bank, tmp_path):
    long = trained(data, bank, tmp_path / "long", CONFIG.override({"training.patience": 30}), epochs=30)
    short = trained(data, bank, tmp_path / "short", CONFIG.override({"training.patience": 1}), epochs=30)
    assert short["epochs_run"] < long["epochs_run"] == 30
    rows = list(csv.DictReader((tmp_path / "long" / "curves.csv").read_text().splitlines()))
    assert len(rows) == 30
    scores = [float(row["validation/selection"]) for row in rows]
    assert long["selected_epoch"] == scores.index(max(scores))
    assert long["metrics"]["validation/selection"] == pytest.approx(max(scores))
    for row in rows:
        found = 0.3 * float(row["validation/retrieval"]) + 0.7 * float(row["validation/adjacent_accuracy"])
        assert float(row["validation/selection"]) == pytest.approx(found, abs=1e-6)


def test_training_lowers_the_loss_and_learns_what_it_is_shown(data, bank, tmp_path):
    trained(data, bank, tmp_path / "run", CONFIG.override({"training.patience": 30}), epochs=30)
    rows = list(csv.DictReader((tmp_path / "run" / "curves.csv").read_text().splitlines()))
    assert float(rows[-1]["train/alignment"]) < 0.7 * float(rows[0]["train/alignment"])
    assert float(rows[-1]["train/margin"]) < float(rows[0]["train/margin"])


def test_the_second_stage_starts_from_the_firsts_weights(data, bank, tmp_path):
    trained(data, bank, tmp_path / "first")
    still = CONFIG.override({"training.learning_rate": 1e-12, "training.weight_decay": 0.0})
    trained(data, bank, tmp_path / "second", still, epochs=1, start=tmp_path / "first")
    one, two = (load_file(tmp_path / name / "weights.safetensors") for name in ("first", "second"))
    assert all(torch.allclose(one[name], two[name], atol=1e-6) for name in one)
    trained(data, bank, tmp_path / "fresh", still, epochs=1)
    fresh = load_file(tmp_path / "fresh" / "weights.safetensors")
    assert any(not torch.allclose(one[name], fresh[name], atol=1e-3) for name in one)


def test_training_again_gives_the_same_weights(data, bank, tmp_path):
    for name in ("one", "two"):
        torch.manual_seed(len(name))
        trained(data, bank, tmp_path / name)
        torch.rand(3)
    one, two = (load_file(tmp_path / name / "weights.safetensors") for name in ("one", "two"))
    assert all(torch.equal(one[name], two[name]) for name in one)


def test_outcomes_are_the_scores_of_the_rows_they_name(data, bank, tmp_path):
    import pyarrow.parquet as pq

    trained(data, bank, tmp_path / "run")
    module = load_module(CONFIG, bank, tmp_path / "run")
    evaluate(module, data, bank, tmp_path / "run", tmp_path)
    table = pq.read_table(tmp_path / "pairs.parquet").to_pylist()
    rows = data.pair_rows("test", data.target)
    test = [row for row in table if row["part"] == "test"]
    assert len(test) == len(rows)
    with torch.inference_mode():
        for place in range(0, len(rows), 7):
            one = rows.take(torch.tensor([place]).numpy())
            state = bank.states(one.state, one.correct, CONFIG.model.history.length)
            score, _ = module(state, bank.actions(one.correct))
            assert test[place]["score_correct"] == pytest.approx(float(score), abs=1e-5)
            assert test[place]["trajectory"] == data.table.trajectories[data.table.state_trajectory[one.state[0]]]


def test_the_state_blind_control_uses_another_trajectorys_state(data):
    from lightning_modules.intentscore.evaluation import _other_states

    rows = data.pair_rows("test", data.target)
    owner = data.table.state_trajectory
    blind = _other_states(rows.state, owner[rows.state], 0)
    assert (owner[blind] != owner[rows.state]).all()
    assert set(blind.tolist()) <= set(rows.state.tolist())
    alone = rows.state[owner[rows.state] == owner[rows.state[0]]]
    assert (_other_states(alone, owner[alone], 0) == alone).all()


def test_the_temperature_is_clipped_and_fixed_when_asked(data, bank):
    module = IntentScoreModule(CONFIG, bank.text_width, bank.vision_width, seed=0, steps=1)
    with torch.no_grad():
        module.log_temperature.fill_(-9.0)
        assert float(module.temperature) == pytest.approx(0.01)
        module.log_temperature.fill_(3.0)
        assert float(module.temperature) == pytest.approx(1.0)
    fixed = CONFIG.override({"loss.learn_temperature": False})
    module = IntentScoreModule(fixed, bank.text_width, bank.vision_width, seed=0, steps=1)
    assert not module.log_temperature.requires_grad


def test_forward_gives_scores_and_diagnostics(data, bank):
    module = IntentScoreModule(CONFIG, bank.text_width, bank.vision_width, seed=0, steps=1).eval()
    rows = data.pair_rows("test", data.target).take(torch.arange(4).numpy())
    scores, out = module(bank.states(rows.state, rows.correct, 3), bank.actions(rows.correct))
    assert scores.shape == (4,)
    assert set(out) == {"state", "action", "temperature"}


def test_data_of_one_step_trajectories_cannot_select_a_checkpoint(tmp_path):
    single = load_dataset(DataConfig(dataset="folder"), write_folder(tmp_path / "data", trajectories=30, steps=1))
    bank = random_features(single, CONFIG.word_dropout)
    with pytest.raises(UserError, match=r"correct steps to train on|no pair of adjacent steps"):
        train(CONFIG, single, bank, single.target, 0, 1, tmp_path, "training")
