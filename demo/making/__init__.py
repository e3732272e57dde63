"""Making: writes the demo's documents that are no plain text. `python -m demo.making`; the results are committed.

For developers: it needs what the tests need (reportlab, Pillow). Every word in these documents is made up for the demo.
"""
