"""The rule books as data, the engine that settles by them, and the compiler of game tables.

`book` is what a rule book holds, `bookfile` reads one and refuses a wrong one, `play` is what a roll does to each area
(`craps` and `sicbo` say it for the two games), `engine` is a table with money on it, `script` is `tumbler settle`.
"""
