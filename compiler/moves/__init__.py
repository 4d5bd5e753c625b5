"""Moves of a plan whose divisions are decided: copies that bring a buffer in LX to its readers, and buffers into LX."""
