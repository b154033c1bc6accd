"""How a plan is run: the store, workers, the Optuna mirror and W&B tracking. The disk is the truth."""
