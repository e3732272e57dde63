"""Faults, tried for real, on processes and files of their own: `make drill`, or `python -m drill NAME ...`."""
