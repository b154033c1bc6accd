"""Intervals over seeds × trajectories: tallies of outcomes, a crossed bootstrap, and what may be said of the result."""
