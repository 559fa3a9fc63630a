"""One table's connection: the port, the session with its controller, the validator, the commands."""
