"""Readers of the formats that other tools write.  They never run what they read, and answer bad input in a sentence."""
