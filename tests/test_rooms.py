"""The plan of the house: imports run one way, and the light rooms stay light."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MAY_IMPORT = {
    "cuascore": {"cuascore"},
    "lightning_modules": {"cuascore", "lightning_modules"},
    "ablations": {"cuascore", "lightning_modules", "ablations"},
    "sweeps": {"cuascore", "lightning_modules", "ablations", "sweeps"},
    # Study definitions and metrics are torch-free; the rest of what a report knows it reads from files.
    "reports": {"cuascore", "ablations", "reports"},
}
# The command line puts the rooms together, so it alone may look into all of them.
COMPOSITION = (ROOT / "ablations" / "commands", ROOT / "ablations" / "command_line.py")
LIBRARY_MUST_NOT_IMPORT = {"pytorch_lightning", "lightning", "optuna", "wandb", "matplotlib"}


def imported(file: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names.add(node.module.split(".")[0])
    return names


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_imports_run_one_way(room):
    files = [f for f in (ROOT / room).rglob("*.py") if not any(f == c or c in f.parents for c in COMPOSITION)]
    assert files
    wrong = {str(f.relative_to(ROOT)): sorted((imported(f) & set(MAY_IMPORT)) - MAY_IMPORT[room]) for f in files}
    assert {file: names for file, names in wrong.items() if names} == {}


def test_the_library_knows_nothing_of_training_tools():
    files = (ROOT / "cuascore").rglob("*.py")
    wrong = {str(file.relative_to(ROOT)): imported(file) & LIBRARY_MUST_NOT_IMPORT for file in files}
    assert {file: names for file, names in wrong.items() if names} == {}


@pytest.mark.parametrize(
    "module",
    ["cuascore", "cuascore.trajectories", "ablations.study", "ablations.metrics", "reports", "ablations.command_line"],
)
def test_light_rooms_import_no_torch(module):
    code = f"import sys, {module}; sys.exit(sorted({{'torch', 'pytorch_lightning', 'wandb'}} & set(sys.modules)) or 0)"
    found = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
