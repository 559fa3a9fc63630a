"""Tumbler: the daemon of the table and the technician's tools."""
