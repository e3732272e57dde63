"""Measurements; README.md says how to run them and how to read them."""
