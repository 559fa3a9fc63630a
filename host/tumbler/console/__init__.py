"""The web page of a daemon: what its tables do, live, for the pit and the technician. Looks, and commands nothing.

console = Console(config.console, site, version); console.add(table, mqtt_link, journal); await console.run()

No build step and nothing from elsewhere: static/ is served as it lies here, and works without an outside network.
"""

from tumbler.console.console import Console

__all__ = ["Console"]
