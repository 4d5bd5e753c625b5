"""One file per export format: writers of a compiled program."""
