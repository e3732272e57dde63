"""The curated layer: concepts, claims, decisions and translations in spaces, each standing on citations; and what contradicts.

Everything comes in as a proposal that a reviewer approves. A person reads an entry only with the right to its space and to every
document that it cites; whether it is disputed is worked out from what that person may read.
"""
