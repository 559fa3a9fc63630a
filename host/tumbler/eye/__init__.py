"""The reader of dice seen from the host: pictures in, the controller's own verdicts out. The reading itself is firmware."""
