"""A compilation as text and pages for people."""
