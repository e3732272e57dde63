"""Answers of other systems, checked: which words of a sentence stand where they are said to stand. Never whether it is true.

`values` holds what an answer is. Others read formats into it, check it, keep it; the pages and programs show it.
"""
