"""One payment's timeline as typed rows, and these as text, Mermaid, a picture and JSON."""
