"""Pictures that come on standard input or out of a file, at a desk. For the unix port."""


def fill(source, buffer):
    """All of the buffer, or OSError."""
    room = memoryview(buffer)
    got = 0
    while got < len(buffer):
        n = source.readinto(room[got:])
        if not n:
            raise OSError("the picture ends after %d of %d bytes" % (got, len(buffer)))
        got += n
    return buffer
