"""Our own WSGI server: one loop for everything on the wire, ordinary calls inline, blocking ones on a pool.

| To change … | open |
|---|---|
| what a valid request is | `parser.py` (head), `chunks.py` (chunked body), `reader.py` (where one ends) |
| how the app is called | `wsgi.py`; lazy bodies: `source.py` (made), `stream.py` (sent) |
| what an answer's head says | `answer.py` |
| what faults do on the wire | `line.py`; without this server: `emulate.py` |
| the walk from request to answer | `exchange.py` |
| reading, writing, closing, time-outs | `connection.py`; its states: `states.py` |
| how much all requests together may take | `room.py` |
| who waits for what | `loop.py`, `timers.py`, `wait.py`, `pool.py` |
| start and end | `server.py`, `listener.py`; what all connections share: `service.py` |
"""

from __future__ import annotations

from mock_server.server.parser import Allowed
from mock_server.server.server import Server
from mock_server.server.service import Log, Patience, log_plainly

__all__ = ["Allowed", "Log", "Patience", "Server", "log_plainly"]
