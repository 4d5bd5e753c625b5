"""What a plan costs in microseconds and bytes: one function per term, every hardware number from the device file."""
