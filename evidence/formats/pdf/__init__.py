"""PDF: pages of characters with their places, put into reading order."""
