"""Runs a KTIR module on the public interpreter; started by `outside` with a python that has it, and a folder."""

import importlib
import json
import sys
from pathlib import Path

import numpy as np


def main(folder: Path) -> None:
    """Call the functions of the folder's module in turn on its arrays, and leave the arrays as they are then."""
    given = json.loads((folder / "calls.json").read_text(encoding="utf-8"))
    arrays = {name: np.load(folder / f"{place}.npy") for place, name in enumerate(given["names"])}
    interpreter = importlib.import_module("ktir_cpu").KTIRInterpreter()
    interpreter.load((folder / "module.mlir").read_text(encoding="utf-8"))
    for function, parameters, buffers in given["calls"]:
        pairs = list(zip(parameters, buffers, strict=True))
        found = interpreter.execute_function(function, **{name: arrays[buffer] for name, buffer in pairs})
        for name, buffer in pairs:
            arrays[buffer] = np.asarray(found[name]).reshape(arrays[buffer].shape)
    for place, name in enumerate(given["names"]):
        np.save(folder / f"{place}.npy", arrays[name])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
