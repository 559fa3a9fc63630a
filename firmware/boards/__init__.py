"""One board a file: which chip is on which pin. `Board` of the chosen file is all that controller/ knows of hardware."""
