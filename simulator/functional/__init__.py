"""Executes a program on real numbers out of modelled memory; the only part here that imports torch."""
