"""CSS: what a page's own styles make of its elements, as far as it decides what a reader sees."""
