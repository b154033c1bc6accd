"""Frozen text and vision encoders, and the feature store that remembers what they saw. Heavy imports wait for use."""

from cuascore.encoders.locate import EncoderUnavailable, check_available
from cuascore.encoders.store import FeatureStore
from cuascore.encoders.table import FeatureTable
from cuascore.encoders.text import TextEncoder, text_encoder
from cuascore.encoders.vision import VisionEncoder, vision_encoder

__all__ = [
    "EncoderUnavailable",
    "FeatureStore",
    "FeatureTable",
    "TextEncoder",
    "VisionEncoder",
    "check_available",
    "text_encoder",
    "vision_encoder",
]
