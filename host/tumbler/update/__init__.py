"""Updates of the controller's program: built and packed here, sent over the wire, tried out there. Guide: docs/update.md."""
