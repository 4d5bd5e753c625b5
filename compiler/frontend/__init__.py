"""From a PyTorch model to a LoopProgram; the only part of the compiler that imports torch."""
