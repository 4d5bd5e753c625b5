"""The second opinion: runs a compiled program, for its numbers and for its time."""
