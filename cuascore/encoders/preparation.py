"""How a screenshot becomes an encoder's input."""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cuascore.errors import UserError

if TYPE_CHECKING:
    from PIL.Image import Image
    from torch import Tensor

OPENAI_MEAN, OPENAI_STD = (0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711)
"""open_clip's defaults, those of the first CLIP."""


@dataclass(frozen=True)
class Preparation:
    """Squash to the encoder's input, then normalise each channel.

    SigLIP's own preprocessing squashes. Where an encoder's would resize the shorter side and crop the middle (CLIP,
    most of timm), its size, interpolation, mean and std are kept, but a screenshot is squashed all the same: a crop of
    a 16:9 screen drops 44 % of it, and with it the task bar's ends, scroll bars and close buttons.

    Attributes:
        height, width: of the input, pixels; mean, std: of channels scaled to [0, 1]; interpolation: Pillow's filter.
    """

    height: int
    width: int
    mean: tuple[float, ...]
    std: tuple[float, ...]
    interpolation: str = "bicubic"

    def __post_init__(self) -> None:
        if self.interpolation not in ("bicubic", "bilinear", "lanczos", "nearest"):
            raise UserError(f"interpolation {self.interpolation!r} of a vision encoder's settings is not known")

    @property
    def identity(self) -> dict[str, Any]:
        """What the prepared input depends on, JSON-able."""
        return {**asdict(self), "mean": list(self.mean), "std": list(self.std), "resize": "squash"}

    def squash(self, image: "Image") -> NDArray[np.uint8]:
        """Return (height, width, 3) uint8 of a picture of any size. Pillow works outside Python's lock."""
        from PIL import Image

        wanted = Image.Resampling[self.interpolation.upper()]
        return np.array(image.convert("RGB").resize((self.width, self.height), wanted))

    def normalise(self, squashed: "Tensor") -> "Tensor":
        """Return (n, 3, height, width) float32 of (n, height, width, 3) uint8, on the same device."""
        import torch

        mean, std = (torch.tensor(values, device=squashed.device).view(1, 3, 1, 1) for values in (self.mean, self.std))
        # Permuted and not copied, the batch lies channels last in memory: what convolutions on a CPU are fastest with.
        return squashed.permute(0, 3, 1, 2).float().div_(255).sub_(mean).div_(std)


LITE = Preparation(224, 224, (0.5, 0.5, 0.5), (0.5, 0.5, 0.5))
"""EfficientNet-Lite0 as timm prepares it, but squashed (trained on (x - 127) / 128, which is the same to 0.4 %)."""


def of_open_clip(settings: dict[str, Any], image_size: int | list[int] | tuple[int, ...]) -> Preparation:
    """Return the preparation of an open_clip model's ``preprocess_cfg`` and its image tower's input size.

    Keys left out mean open_clip's defaults. Needs no open_clip: a store that holds everything works without it.
    """
    mean, std = _channels(settings.get("mean") or OPENAI_MEAN), _channels(settings.get("std") or OPENAI_STD)
    sides = [image_size, image_size] if isinstance(image_size, int) else list(image_size)
    # open_clip reads every name but "bilinear" as bicubic.
    interpolation = "bilinear" if settings.get("interpolation") == "bilinear" else "bicubic"
    return Preparation(int(sides[0]), int(sides[1]), mean, std, interpolation)


def of_timm(name: str) -> Preparation:
    """Return the preparation of a timm model's published weights."""
    import timm
    from timm.data import resolve_data_config

    settings = resolve_data_config(pretrained_cfg=timm.get_pretrained_cfg(name).to_dict())
    _, height, width = settings["input_size"]
    return Preparation(
        height, width, _channels(settings["mean"]), _channels(settings["std"]), settings["interpolation"]
    )


def _channels(values: Any) -> tuple[float, ...]:
    each = [values] * 3 if isinstance(values, int | float) else list(values)
    return tuple(float(value) for value in each)
