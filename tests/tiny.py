"""Small AgentNet-shaped folders for tests: enough trajectories for every part of a split, screenshots that are not square."""

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
            "thought": f"I want to press {word} now",
            "action": f"Click the {word} button",
            "code": f"pyautogui.click(x={x:.3f}, y=0.3)",
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
