"""Text forms of the values: listings a person reads, that parse back to the same value.

One module per value; `document.py` is the entry.  Owns printing and parsing; refuses meaning (what a plan implies is
the checker's business).
"""
