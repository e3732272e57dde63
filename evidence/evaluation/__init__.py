"""Evaluation: questions whose answers are known are asked as people ask them, and what comes of it is counted, kept and compared.

questions.py: the format. judged.py: folders of other layouts. loading.py: their documents. expected.py: what is expected, in the
database. asking.py: the search. figures.py: the numbers. kept.py: the runs. Words of questions stay in their files.
"""
