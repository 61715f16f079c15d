"""What must be true of a training after a fault, in scripts/soak: each check gives its violations."""
import hashlib
import json
import math
import time
from pathlib import Path

from .tensors import TOLERANCE, differences
from .training import Training

SHARED = Path("/dev/shm")
GRACE_SECONDS = 30  # for processes to end after `yoke run` has


def segments() -> set[str]:
    return {entry.name for entry in SHARED.iterdir() if entry.name.startswith("yoke-")}


def nothing_left(training: Training, before: set[str]) -> list[str]:
    """Neither processes nor shared memory."""
    last = time.monotonic() + GRACE_SECONDS
    while (left := training.processes()) and time.monotonic() < last:
        time.sleep(0.05)
    found = [f"process {pid} is left: rank {e.get('RANK', '-')}" for pid, e in left.items()]
    if more := segments() - before:
        found.append(f"shared memory is left: {' '.join(sorted(more))}")
    return found


def checkpoints_whole(training: Training, damaged: set[str]) -> list[str]:
    """None is half, but for those that the fault damaged."""
    found = []
    for folder in sorted((training.run / "checkpoints").glob("step-*")):
        if folder.name in damaged:
            continue
        try:
            manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
            for name, expected in manifest["files"].items():
                if hashlib.sha256((folder / name).read_bytes()).hexdigest() != expected["sha256"]:
                    found.append(f"{folder.name}/{name} is not what its manifest says")
        except (OSError, ValueError, KeyError) as error:
            found.append(f"{folder.name} is half: {error}")
    return found


def nothing_temporary(training: Training) -> list[str]:
    return [f"{path.relative_to(training.folder)} is left"
            for path in training.folder.rglob("*") if ".tmp-" in path.name]


def completed(training: Training) -> list[str]:
    status = training.summary().get("status")
    return [] if status == "completed" else [f"summary.json says {status!r}, not completed"]


def every_step_once(training: Training) -> list[str]:
    steps = [report["step"] for report in training.reports() if report["split"] == "train"]
    expected = list(range(1, len(steps) + 1))
    return [] if steps == expected else [f"metrics.jsonl has the steps {steps}"]


def same(mine: dict, other: dict) -> bool:
    """Whether two reports agree; statistics of batch norm, which scores of validation hang on, are means
    over ranks, taken again where a run was stopped."""
    if mine["split"] == "train" or mine.keys() != other.keys():
        return mine == other
    return (mine["step"] == other["step"] and
            math.isclose(mine["loss"], other["loss"], rel_tol=TOLERANCE))


def equal(training: Training, undisturbed: Training) -> list[str]:
    """What it would have been without the fault: bit for bit, but for rounding in statistics."""
    found = []
    mine, others = training.reports(), undisturbed.reports()
    wrong = [a for a, b in zip(mine, others) if not same(a, b)]
    if wrong or len(mine) != len(others):
        found.append(f"metrics differ, first at {wrong[:1]} ({len(mine)} and {len(others)} reports)")
    names = differences(*(t.run / "model.safetensors" for t in (training, undisturbed)))
    if names:
        found.append(f"these weights differ: {' '.join(names)}")
    return found
