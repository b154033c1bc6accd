"""Re-ranking candidate actions before one runs: merging, threshold, decision (arXiv 2604.05157, deployment)."""

from cuascore.reranking.decision import SIGMA, Decision, Verdict, decide
from cuascore.reranking.merging import MERGE_PIXELS, merge

__all__ = ["MERGE_PIXELS", "SIGMA", "Decision", "Verdict", "decide", "merge"]
