"""Opening screenshots that may be anything: names that leave their folder, bombs and broken files are refused."""

import warnings
from pathlib import Path

from PIL import Image, UnidentifiedImageError

from cuascore.errors import UserError

MAX_PIXELS = 64_000_000
"""Larger than an 8K screen (33 million); more is a decompression bomb or no screenshot."""


def open_image(path: Path, *, max_pixels: int = MAX_PIXELS) -> Image.Image:
    """Decode a screenshot to RGB.

    Raises:
        UserError: it is missing, broken, or has more than ``max_pixels`` pixels.
    """
    try:
        with warnings.catch_warnings():
            # Pillow warns of bombs at a size of its own; the limit here is ours.
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(path) as image:
                width, height = image.size
                if width * height > max_pixels:
                    raise UserError(f"{path}: {width} x {height} pixels, more than {max_pixels}: refused as a bomb")
                return image.convert("RGB")
    except UserError:
        raise
    except FileNotFoundError:
        raise UserError(f"{path}: no such screenshot") from None
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, ValueError, SyntaxError) as error:
        raise UserError(f"{path}: not a readable image ({error})") from None


def image_path(folder: Path, name: str) -> Path | None:
    """Return the file inside ``folder`` that a record names, or None where the name leaves the folder."""
    if not name or "\0" in name:
        return None
    path = folder / name
    if "/" not in name and name not in (".", "..") and not path.is_symlink():
        return path
    try:
        inside = path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):
        return None
    return path if inside and not Path(name).is_absolute() else None
