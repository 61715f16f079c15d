"""Where a training runs that some faults of scripts/soak need: a small disk, a network of its own, a
clock that can be set."""
import dataclasses
import glob
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

SIZE_OF_DISK = "48m"
CLOCK = "clock"  # file in the training's folder, with how far the clock is off


@dataclasses.dataclass(frozen=True)
class Place:
    """`prepare` makes it in a training's folder before the first start, and says whether it can be had
    here; `words` come before the program's own."""
    prepare: Callable[[Path], bool] = lambda folder: True
    words: tuple[str, ...] = ()
    environment: Callable[[Path], dict[str, str]] = lambda folder: {}
    comm: str = ""  # the communicator that the fault is about; drawn where empty


def mount_small_disk(folder: Path) -> bool:
    run = folder / "run"
    run.mkdir()
    return subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE_OF_DISK}", "none", run],
                          stderr=subprocess.DEVNULL, check=False).returncode == 0


OWN_NETWORK = ("unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh")


def can_have_a_network(_: Path) -> bool:
    return shutil.which("tc") is not None and subprocess.run(
        [*OWN_NETWORK, "tc", "qdisc", "add", "dev", "lo", "root", "tbf", "rate", "1mbit", "burst",
         "32k", "latency", "50ms"], stderr=subprocess.DEVNULL, check=False).returncode == 0


def libfaketime() -> str:
    return next(iter(glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")), "")


def start_clock(folder: Path) -> bool:
    set_clock(folder, 0)
    return libfaketime() != ""


def set_clock(folder: Path, seconds: int) -> None:
    """Sets the wall clock of a training that goes on; like a system's, it does not change the time
    since boot."""
    new = folder / f"{CLOCK}.new"
    new.write_text(f"{seconds:+}\n", encoding="ascii")
    new.replace(folder / CLOCK)


def clock_environment(folder: Path) -> dict[str, str]:
    return {"LD_PRELOAD": libfaketime(), "FAKETIME_TIMESTAMP_FILE": str(folder / CLOCK),
            "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "FAKETIME_DONT_RESET": "1"}


def can_trace(_: Path) -> bool:
    return shutil.which("strace") is not None and subprocess.run(
        ["strace", "-o", os.devnull, "-e", "inject=fsync:error=EIO", "true"],
        stderr=subprocess.DEVNULL, check=False).returncode == 0


ANYWHERE = Place()
SMALL_DISK = Place(mount_small_disk)
NETWORK = Place(can_have_a_network, OWN_NETWORK, comm="gloo")
FAKED_CLOCK = Place(start_clock, environment=clock_environment)
TRACED = Place(can_trace)
