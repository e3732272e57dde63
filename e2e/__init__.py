"""Browser tests."""
