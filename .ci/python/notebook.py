"""Runs the code of notebooks from top to bottom, as Jupyter's "Run All" does, and wants
them committed without outputs.

    python3 notebook.py NOTEBOOK...
"""
import json
import os
import sys

for name in sys.argv[1:]:
    with open(name) as f:
        cells = json.load(f)["cells"]
    code = [c for c in cells if c["cell_type"] == "code"]
    if not code:
        sys.exit(f"{name} has no code")
    os.chdir(os.path.dirname(os.path.abspath(name)))
    names = {"__name__": "__main__"}
    for i, cell in enumerate(code, 1):
        if cell["outputs"] or cell["execution_count"] is not None:
            sys.exit(f"{name}: cell {i} was saved with its output; clear all outputs")
        print(f"-- {name}, cell {i}")
        exec(compile("".join(cell["source"]), f"{name}, cell {i}", "exec"), names)
