"""Answers of other systems, checked: which words of a sentence stand where they are said to stand. Never whether it is true.

`values` holds what an answer is, `findings` what checking one gives. Others read formats into it, look up its words, keep it; the
pages and programs show it.
"""
