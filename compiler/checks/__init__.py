"""The parts of the checker, one noun each; `compiler.check` is the door.

They read values only and share no code with passes, solvers or analyses: what they derive, they derive again.
"""
