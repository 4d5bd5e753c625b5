"""Data that ships with the product: devices, models, themes, icons and help."""
