"""Programs as joint problems, and the answers as plans."""
