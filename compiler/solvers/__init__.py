"""One file per solver: search without knowledge of files, windows or torch."""
