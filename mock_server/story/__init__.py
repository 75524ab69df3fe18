"""One payment's story: its timeline as typed rows, and those as text, Mermaid, a picture and JSON."""
