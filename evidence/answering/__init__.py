"""Answers that a configured model writes from passages that a person may read; off unless the operator names an endpoint.

`asking` does it for a person: search, ask, keep. `wording` is what the model is told and how its reply is read. `endpoint` is the
call. The model has no tools, no rights and no say: what it writes is data, and each quote in it is checked word for word.
"""
