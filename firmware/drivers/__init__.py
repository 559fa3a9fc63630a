"""Drivers on `machine`: one chip a file. What the table does with them is in controller/, which pins in boards/."""
