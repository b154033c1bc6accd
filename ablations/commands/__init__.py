"""The commands of ``ablate``, one module each: ``add`` declares arguments, and heavy imports wait until a command runs."""
