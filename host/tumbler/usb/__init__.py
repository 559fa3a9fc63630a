"""Controllers on USB: which are plugged in, which table each belongs to, how to reset one and how to flash one."""
