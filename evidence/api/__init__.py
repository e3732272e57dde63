"""The REST API under /api/v1/: each call reads its input, asks the core once, and gives what it got as JSON."""
