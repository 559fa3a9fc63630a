"""Measuring this machine: what the daemon costs, held against the sum of what its parts cost."""
