"""The whole chain in one process and in virtual time, with every fault there is: `tumbler sim`.

Real: dicewire, the controller's own files, the daemon with validator, ledger, journal, outbox and its link to the broker.
Played: the dice and the dealer, the board's chips, flash, cable, disk, broker, clocks, and the power of both sides.
docs/reliability.md says what each can do; simulation.py joins them, witness.py watches.
"""
