"""Values of the formats that other tools of the Spyre world read and write, apart from how they are spelled.

Owns index expressions, op specifications and kernels as torch-spyre's front end hands them on; `compiler.emit` makes
them of a plan and writes them, `compiler.read` reads them.  Refuses decisions.
"""
