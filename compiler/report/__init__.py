"""Reports: a document for people who do not have the program, as one HTML page or as plain text.

Owns the shape of such a document (`document`, `drawing`) and its two renderings (`html`, `text`).  Refuses to know what
is in it: whoever has figures and words fills it in.
"""
