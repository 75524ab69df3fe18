"""Our own WSGI server: one loop for all socket I/O, ordinary calls inline, blocking ones on a pool.

| To change | open |
|---|---|
| what a valid request is | `parser.py` (head), `reader.py` (chunked body, where a request or an answer ends) |
| how the app is called, and generates a lazy body | `wsgi.py` |
| calls that another replica answers | `passing.py` |
| the head of an answer | `answer.py` |
| the way from request to answer, what faults do to an answer | `faults.py`; with another server: `emulate.py` |
| how an answer is sent, including a lazy body | `exchange.py` |
| reading, writing, closing, timeouts | `connection.py` |
| the memory limit of all requests, what all connections share | `service.py` |
| who waits for what | `loop.py`, `pool.py` |
| start and end | `server.py` |
| TLS | `tls.py` |
"""

from __future__ import annotations

from mock_server.server.parser import BodyAllowed
from mock_server.server.server import Server
from mock_server.server.service import ELSEWHERE, UNSAVED, Log, Patience, Saves, WordedRefusal, log_plainly

__all__ = ["ELSEWHERE", "UNSAVED", "BodyAllowed", "Log", "Patience", "Saves", "Server", "WordedRefusal", "log_plainly"]
