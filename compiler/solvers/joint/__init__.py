"""Divisions, residents, moves and room decided together: the question, its price, and the solvers that answer it."""
