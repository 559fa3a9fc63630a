"""Many tables into one database: reads what the floor is told, stores each game once, and asks for what it missed.

store = open_store("postgresql://...")          # or a path: SQLite
Recorder(store, settings, Plan(...)).run(stop)  # until stop is set; as many instances as wanted

The journals of the tables are the record; this is a copy for those who count, search and report.
"""
