"""What is compared: studies, their rows and cells, the metrics they name, and the command line ``ablate``."""
