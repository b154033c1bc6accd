"""Reward models of computer-use agents: recorded trajectories in, scores of candidate actions out."""
