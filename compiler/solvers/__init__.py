"""One file per solver, and the table of them: search without knowledge of files, windows or torch."""
