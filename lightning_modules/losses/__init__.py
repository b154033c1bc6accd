"""Losses of dual encoders: alignment (InfoNCE) and margin ranking."""

from lightning_modules.losses.alignment import alignment_loss
from lightning_modules.losses.margin_ranking import margin_ranking_loss

__all__ = ["alignment_loss", "margin_ranking_loss"]
