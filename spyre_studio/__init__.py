"""The window and the command line of Spyre Studio."""
