"""One TOML file per device; every hardware number with its source."""
