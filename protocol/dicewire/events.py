"""Kinds of the events that Session.next_event() gives; the first item of each tuple. They do not cross the wire."""

UP = 1  # (UP, peer's hello)
DOWN = 2  # (DOWN, reason, lost): lost is a tuple of (handle, message number, payload), none of them acknowledged
MESSAGE = 3  # (MESSAGE, number, values)
REFUSED = 4  # (REFUSED, code, text)
BULK_OFFER = 5  # (BULK_OFFER, kind, size, sha256): answer with bulk_accept or bulk_refuse
BULK_DONE = 6  # (BULK_DONE, kind, sha256, outgoing)
BULK_FAILED = 7  # (BULK_FAILED, kind, code, outgoing)
