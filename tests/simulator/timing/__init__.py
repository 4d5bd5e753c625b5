"""Tests of the clock of the simulator."""
