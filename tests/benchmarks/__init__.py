"""Scripts that measure; nothing here is a test, and no test asserts a time."""
