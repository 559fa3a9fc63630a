"""The way out to the floor.

    link = MqttLink(config.mqtt, site, table, journal.outbox, commands.receive, about={"version": ...})
    link.publish_retained("round", payload)     # told now and at every connect
    link.start(); await link.wait_connected(); await link.stop()
    link.state, link.detail, link.counters, link.on_change(listener)

Results and events go through the journal's outbox (`journal.append(..., publish=...)`); the link sends them by itself.
"""

from tumbler.mqtt.counters import Counters
from tumbler.mqtt.link import LinkState, MqttLink
from tumbler.mqtt.settings import BrokerSettings, BrokerUnusable
from tumbler.mqtt.topics import TOPICS, Topic, full_name, topic_of

__all__ = [
    "TOPICS",
    "BrokerSettings",
    "BrokerUnusable",
    "Counters",
    "LinkState",
    "MqttLink",
    "Topic",
    "full_name",
    "topic_of",
]
