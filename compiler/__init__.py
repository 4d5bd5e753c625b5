"""From a traced PyTorch model to a plan for the Spyre accelerator, and the checks on it."""
