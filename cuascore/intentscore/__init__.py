"""IntentScore (arXiv 2604.05157): a dual encoder that scores a candidate action in its state."""
