"""Training of IntentScore: toggles, features of a batch, negatives, the Lightning module and the stages."""
