"""The words of docs/protocol.md that no table can hold: frames, session, link, tags, bulk."""

INTRODUCTION = """
Written below with the rest of the link.
"""
