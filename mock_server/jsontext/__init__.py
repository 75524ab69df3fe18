"""JSON text in and out: strict reading, compact writing, JavaScript's form, and sameness (ours)."""

from __future__ import annotations

from mock_server.jsontext.piecewise import Breathe as Breathe
from mock_server.jsontext.piecewise import Packed as Packed
from mock_server.jsontext.piecewise import parse_piecewise as parse_piecewise
from mock_server.jsontext.reading import MAX_DEPTH as MAX_DEPTH
from mock_server.jsontext.reading import MAX_INTEGER as MAX_INTEGER
from mock_server.jsontext.reading import JsonMistake as JsonMistake
from mock_server.jsontext.reading import parse as parse
from mock_server.jsontext.writing import Raw as Raw
from mock_server.jsontext.writing import canonical as canonical
from mock_server.jsontext.writing import count as count
from mock_server.jsontext.writing import dump as dump
from mock_server.jsontext.writing import merged as merged
from mock_server.jsontext.writing import same as same
