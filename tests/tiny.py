"""Small AgentNet-shaped folders for tests: a split has every part, screenshots are not square."""

import json
from pathlib import Path

from PIL import Image, ImageDraw

PLATFORMS = ("ubuntu", "windows", "mac")
NAMES = ("Save", "Cancel", "Open", "Print", "Close", "Search", "Reply", "Delete", "Next", "Back")


def write_folder(folder: Path, trajectories: int = 18, steps: int = 4, wrong: bool = True) -> Path:
    """Write ``tiny.jsonl`` and ``images/``: one task a line, one of three systems each, a rejected action a step."""
    (folder / "images").mkdir(parents=True, exist_ok=True)
    lines = []
    for number in range(trajectories):
        traj = [_step(folder, number, index, steps, wrong) for index in range(steps)]
        lines.append(
            {
                "task_id": f"task-{number}",
                "instruction": f"Press {NAMES[number % 10]} and then the others in window {number}",
                "task_completed": number % 4 != 3,
                "os": PLATFORMS[number % 3],
                "group": f"group-{number}",
                "traj": traj,
            }
        )
    (folder / "tiny.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return folder


def _step(folder: Path, number: int, index: int, steps: int, wrong: bool) -> dict:
    place = (number * 3 + index * 7) % 10
    name, other = NAMES[place], NAMES[(place + 3) % 10]
    image = f"t{number}_{index}.png"
    picture = Image.new("RGB", (160, 100), (20 * (number % 12), 90, 25 * (index % 10)))
    ImageDraw.Draw(picture).rectangle((place * 14, 20, place * 14 + 12, 40), fill="white")
    picture.save(folder / "images" / image)

    def value(word: str, x: float) -> dict:
        return {
            "thought": f"I want to press {word} in window {number}",
            "action": f"Click the {word} button",
            "code": f"pyautogui.click(x={x:.3f}, y={0.3 + 0.01 * number:.2f})",
        }

    rejected = {**value(other, ((place + 3) % 10) * 0.09 + 0.04), "last_step_correct": False, "judgement": "wasted"}
    return {
        "index": index,
        "image": image,
        "value": {
            "observation": f"Window {number} shows the buttons {name}, {other}",
            **value(name, place * 0.09 + 0.04),
            "last_step_correct": True,
            "last_step_redundant": False,
            "reflection": f"{name} was pressed" if index < steps - 1 else "",
            "rejected": [rejected] if wrong else [],
        },
    }


def write_text_encoder(folder: Path) -> Path:
    """Save a sentence-transformers model of 16 dimensions with random weights."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from transformers import BertConfig, BertModel, BertTokenizerFast

    bert = folder.with_name("bert")
    bert.mkdir(parents=True)
    letters = [chr(code) for code in range(33, 127)]
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *(f"##{letter}" for letter in letters)]
    (bert / "vocab.txt").write_text("\n".join(words))
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=128,
    )
    BertModel(config).save_pretrained(bert)
    BertTokenizerFast(str(bert / "vocab.txt")).save_pretrained(bert)
    transformer = Transformer(str(bert), max_seq_length=128)
    SentenceTransformer(modules=[transformer, Pooling(16)], device="cpu").save(str(folder))
    return folder


def write_vision_encoder(folder: Path) -> Path:
    """Save an open_clip model of 16 dimensions with random weights, in the layout that ``local-dir:`` reads."""
    import open_clip
    import torch
    from safetensors.torch import save_file

    folder.mkdir(parents=True)
    config = {
        "embed_dim": 16,
        "vision_cfg": {"image_size": 32, "layers": 1, "width": 16, "head_width": 8, "patch_size": 16},
        "text_cfg": {"context_length": 8, "vocab_size": 64, "width": 16, "heads": 2, "layers": 1},
    }
    torch.manual_seed(0)
    model = open_clip.CLIP(
        embed_dim=16,
        vision_cfg=open_clip.CLIPVisionCfg(**config["vision_cfg"]),
        text_cfg=open_clip.CLIPTextCfg(**config["text_cfg"]),
    )
    save_file(
        {name: value.contiguous() for name, value in model.state_dict().items()}, folder / "open_clip_model.safetensors"
    )
    preprocess = {"mean": [0.5] * 3, "std": [0.5] * 3, "interpolation": "bicubic", "resize_mode": "squash"}
    (folder / "open_clip_config.json").write_text(json.dumps({"model_cfg": config, "preprocess_cfg": preprocess}))
    return folder
