"""One file per pass: a pure step from a problem and a plan to a plan with more decided."""
