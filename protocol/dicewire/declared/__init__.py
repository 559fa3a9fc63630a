"""What crosses the wire, declared once: `codes` (numbers and their meaning) and `messages` (fields and widths).

For the host and for generators only. The controller carries `dicewire/*.py` and never this folder: what it needs of it,
`python -m dicewire.declared` writes into `dicewire/codes.py` and `dicewire/messages.py`, without the texts, which would
cost the controller 20 KB of heap.
"""
