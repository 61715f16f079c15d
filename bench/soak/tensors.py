"""Weights in files of safetensors, as far as scripts/soak compares them."""
import array
import json
import math
from pathlib import Path

STATISTICS = ("running_mean", "running_var")  # of batch norm
TOLERANCE = 1e-5  # of what was added in another order


def tensors(path: Path) -> dict[str, bytes]:
    content = path.read_bytes()
    begin = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:begin])
    return {name: content[begin + entry["data_offsets"][0]:begin + entry["data_offsets"][1]]
            for name, entry in header.items() if name != "__metadata__"}


def close(mine: bytes, others: bytes) -> bool:
    return all(math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
               for a, b in zip(array.array("f", mine), array.array("f", others), strict=True))


def differences(mine: Path, others: Path) -> list[str]:
    """Names of what is not equal bit for bit; statistics may differ by rounding."""
    a, b = tensors(mine), tensors(others)
    if a.keys() != b.keys():
        return sorted(a.keys() ^ b.keys())
    return [name for name in a if a[name] != b[name] and
            not (name.endswith(STATISTICS) and close(a[name], b[name]))]
