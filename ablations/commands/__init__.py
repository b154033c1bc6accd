"""The commands of ``ablate``, one module each. ``add`` declares arguments; heavy imports wait until a command runs."""
