"""The bundled example models: how each is built, and its exported file."""
