"""The demo: invented documents, their rules, their people, and what makes the documents that are no plain text."""
