"""Figures that look the same everywhere: no pyplot, no global state, fonts embedded, legible in grey."""
