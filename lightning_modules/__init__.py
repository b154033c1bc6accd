"""How a system is trained: its config tree, losses, negatives, Lightning module and stages."""
