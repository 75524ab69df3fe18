"""Our own WSGI server: one loop for everything on the wire, ordinary calls inline, blocking ones on a pool.

| To change … | open |
|---|---|
| what a valid request is | `parser.py` (head), `reader.py` (chunked body, where a request or an answer ends) |
| how the app is called, and makes a lazy body | `wsgi.py` |
| calls that another replica answers | `passing.py` |
| what an answer's head says | `answer.py` |
| the walk from request to answer, what faults do on the wire | `faults.py`; without this server: `emulate.py` |
| how an answer is sent, a lazy body too | `exchange.py` |
| reading, writing, closing, time-outs | `connection.py` |
| how much all requests together may take, what all connections share | `service.py` |
| who waits for what | `loop.py`, `poller.py`, `pool.py` |
| start and end | `server.py`, `listener.py` |
| TLS | `tls.py` |
"""

from __future__ import annotations

from mock_server.server.parser import BodyAllowed
from mock_server.server.server import Server
from mock_server.server.service import ELSEWHERE, UNSAVED, Log, Patience, Saves, WordedRefusal, log_plainly

__all__ = ["ELSEWHERE", "UNSAVED", "BodyAllowed", "Log", "Patience", "Saves", "Server", "WordedRefusal", "log_plainly"]
