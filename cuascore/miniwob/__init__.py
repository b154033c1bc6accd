"""Recording of labelled trajectories from MiniWoB++ pages in a headless Chromium, and the environment they run in."""
