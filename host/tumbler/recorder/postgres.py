"""The recorder's database in PostgreSQL: what differs from SQLite, and nothing else."""

from __future__ import annotations

from urllib.parse import urlsplit

import psycopg

from tumbler.recorder.store import Connection, Store

CONNECT_S = 10


class PostgresStore(Store):
    json_type = "JSONB"
    failure = psycopg.Error

    def _connect(self) -> Connection:
        return psycopg.connect(self.where, connect_timeout=CONNECT_S)

    def _sql(self, text: str) -> str:
        return text.replace("?", "%s")

    @property
    def shown(self) -> str:
        parts = urlsplit(self.where)
        port = f":{parts.port}" if parts.port else ""
        return f"postgresql://{parts.hostname or ''}{port}{parts.path}"
