"""Timing: how long a program takes on the device, by discrete events over the machine its device file describes."""
