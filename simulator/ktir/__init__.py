"""An interpreter of KTIR: cores, their scratchpads and device memory, with every hazard an error."""
