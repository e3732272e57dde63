"""What all interfaces for programs share: the shapes of answers, addresses of pages, refusals, and how often a token may call."""
