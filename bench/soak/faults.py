"""What befalls a training in scripts/soak. Each fault is a function of the training and a source of
random numbers; it returns once it has happened, with what may come of it."""
import contextlib
import dataclasses
import os
import random
import resource
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from . import places
from .places import ANYWHERE, FAKED_CLOCK, NETWORK, SMALL_DISK, TRACED, Place
from .training import STEPS_PER_EPOCH, Training

COMPLETED, FAILED, STOPPED, KILLED = 0, 1, 75, -signal.SIGKILL


@dataclasses.dataclass
class Fault:
    """One kind. `statuses` are those with which `yoke run` may end; where that is not 0, the training
    is started again with --resume auto, after `mend`."""
    name: str
    happen: Callable[[Training, random.Random], None]
    statuses: tuple[int, ...] = (COMPLETED,)
    restarts: int = 0
    mend: Callable[[Training, random.Random], None] = lambda training, draw: None
    place: Place = ANYWHERE


def some_step(training: Training, draw: random.Random) -> None:
    """Waits for a step somewhere in the training, and a little longer."""
    training.await_step(draw.randrange(1, training.setting.epochs * STEPS_PER_EPOCH * 3 // 4))
    time.sleep(draw.random() * 0.05)


def some_rank(training: Training, draw: random.Random) -> int | None:
    ranks = training.ranks()
    return draw.choice(ranks) if ranks else None


def kill_rank(training, draw):
    some_step(training, draw)
    if (pid := some_rank(training, draw)) is not None:
        training.kill(pid, signal.SIGKILL)


def kill_rank_at_once(training, draw):
    """While ranks start and meet."""
    last = time.monotonic() + 60
    while training.goes_on() and not training.ranks() and time.monotonic() < last:
        time.sleep(0.005)
    time.sleep(draw.random())
    if (pid := some_rank(training, draw)) is not None:
        training.kill(pid, signal.SIGKILL)


def kill_launcher(training, draw):
    some_step(training, draw)
    training.signal(signal.SIGKILL)


def kill_in_checkpoint(training, draw):
    """Kills rank 0, which writes, while it does."""
    some_step(training, draw)
    folder = training.run / "checkpoints"
    last = time.monotonic() + 20
    while training.goes_on() and time.monotonic() < last:
        if any(".tmp-" in entry.name for entry in entries(folder)):
            break
    if ranks := training.ranks():
        training.kill(ranks[0], signal.SIGKILL)


def terminate(training, draw):
    some_step(training, draw)
    training.signal(signal.SIGTERM)


def terminate_twice(training, draw):
    terminate(training, draw)
    time.sleep(draw.random() * 0.2)
    training.signal(signal.SIGTERM)


def pause_rank(training, draw):
    some_step(training, draw)
    if (pid := some_rank(training, draw)) is None:
        return
    training.kill(pid, signal.SIGSTOP)
    time.sleep(0.5 + 3 * draw.random())
    training.kill(pid, signal.SIGCONT)


def slow_rank(training, draw):
    """Lets a rank run half of the time for a while."""
    some_step(training, draw)
    pid = some_rank(training, draw)
    for _ in range(30):
        if pid is None or not training.goes_on():
            return
        for number in (signal.SIGSTOP, signal.SIGCONT):
            training.kill(pid, number)
            time.sleep(0.03)


def take_memory(training, draw):
    """From now on a rank gets hardly any memory more."""
    some_step(training, draw)
    if (pid := some_rank(training, draw)) is None:
        return
    with contextlib.suppress(OSError, ValueError):
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[0])
        limit = pages * resource.getpagesize() + draw.randrange(1 << 20)
        resource.prlimit(pid, resource.RLIMIT_AS, (limit, limit))


def take_descriptors(training, draw):
    """From now on a rank can open no file."""
    some_step(training, draw)
    if (pid := some_rank(training, draw)) is not None:
        with contextlib.suppress(OSError):
            resource.prlimit(pid, resource.RLIMIT_NOFILE, (3, 3))


def fill_disk(training, draw):
    """Fills the disk, and empties it again after a while."""
    some_step(training, draw)
    filler = training.run / "filler"
    with contextlib.suppress(OSError), open(filler, "wb") as file:
        while True:
            file.write(b"\0" * 65536)
            file.flush()
    time.sleep(1 + 2 * draw.random())
    filler.unlink(missing_ok=True)


def entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def checkpoints(training: Training) -> list[Path]:
    return [e for e in entries(training.run / "checkpoints") if e.name.startswith("step-")]


def damage(training, draw):
    """Flips a byte of the newest checkpoint, or cuts or removes one of its files. Not where it is the
    only one: a run does not begin again over checkpoints that cannot be read."""
    *others, checkpoint = checkpoints(training) or [None]
    if not others:
        return
    file = draw.choice(entries(checkpoint))
    content = bytearray(file.read_bytes())
    what = draw.choice(["flip", "cut", "remove"])
    if what == "remove":
        file.unlink()
    elif what == "cut":
        file.write_bytes(content[:draw.randrange(len(content))])
    else:
        content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
        file.write_bytes(content)


def hide(training, draw):
    """Takes the newest checkpoint away, and the weights with it."""
    if steps := checkpoints(training):
        shutil.move(steps[-1], training.folder / "hidden")


def fail_calls(training, pid, calls, seconds, when):
    """For a while the kernel answers `calls` of a process with EIO, as it does where a disk is broken."""
    tracer = subprocess.Popen(
        ["strace", "-f", "-qq", "-p", str(pid), "-o", os.devnull, "-e", f"trace={calls}",
         "-e", f"inject={calls}:error=EIO:when={when}"],
        stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    last = time.monotonic() + seconds
    while tracer.poll() is None and training.goes_on() and time.monotonic() < last:
        time.sleep(0.02)
    tracer.terminate()  # what it traced goes on
    tracer.wait()


def break_disk(training, draw):
    """What rank 0 writes does not reach the disk, for a while."""
    some_step(training, draw)
    if ranks := training.ranks():
        fail_calls(training, ranks[0], "fsync,fdatasync", 1 + 4 * draw.random(),
                   f"{draw.randrange(1, 4)}+{draw.randrange(1, 4)}")


def break_writes(training, draw):
    """Some writes of a rank fail: to files, to its terminal, to other ranks."""
    some_step(training, draw)
    if (pid := some_rank(training, draw)) is not None:
        fail_calls(training, pid, "write,pwrite64,writev", 2, f"{draw.randrange(1, 20)}+20")


def break_opens(training, draw):
    """Some files cannot be opened by rank 0."""
    some_step(training, draw)
    if ranks := training.ranks():
        fail_calls(training, ranks[0], "openat", 2, f"{draw.randrange(1, 4)}+3")


def of_its_network(training: Training, *words: str) -> None:
    subprocess.run(["nsenter", "--net", "--target", str(training.process.pid), *words],
                   stderr=subprocess.DEVNULL, check=False)


def cut_link(training, draw):
    some_step(training, draw)
    of_its_network(training, "ip", "link", "set", "lo", "down")
    time.sleep(0.5 + 3 * draw.random())
    of_its_network(training, "ip", "link", "set", "lo", "up")


def slow_link(training, draw):
    some_step(training, draw)
    of_its_network(training, "tc", "qdisc", "add", "dev", "lo", "root", "tbf", "rate",
                   f"{draw.randrange(5, 100)}mbit", "burst", "64k", "latency", "50ms")
    time.sleep(3 + 3 * draw.random())
    of_its_network(training, "tc", "qdisc", "del", "dev", "lo", "root")


def set_clock(training, draw):
    """The clock of the host is set, back and forth, by up to a day."""
    some_step(training, draw)
    for _ in range(3):
        places.set_clock(training.folder, draw.randrange(-86400, 86400))
        time.sleep(0.5 * draw.random())


MANY = 20  # restarts
FAULTS = [
    Fault("a rank is killed", kill_rank, restarts=MANY),
    Fault("a rank is killed, no restarts", kill_rank, (COMPLETED, FAILED)),
    Fault("a rank is killed as ranks start", kill_rank_at_once, restarts=MANY),
    Fault("rank 0 is killed in a checkpoint", kill_in_checkpoint, restarts=MANY),
    Fault("yoke run is killed", kill_launcher, (COMPLETED, KILLED)),
    Fault("SIGTERM", terminate, (COMPLETED, STOPPED)),
    Fault("SIGTERM twice", terminate_twice, (COMPLETED, STOPPED, 128 + signal.SIGTERM)),
    Fault("a rank is stopped for seconds", pause_rank),
    Fault("a rank runs half of the time", slow_rank),
    Fault("a rank gets no memory", take_memory, restarts=MANY),
    Fault("a rank can open no file", take_descriptors, restarts=MANY),
    Fault("the disk is full for a while", fill_disk, (COMPLETED, FAILED), place=SMALL_DISK),
    Fault("the newest checkpoint is damaged", kill_launcher, (COMPLETED, KILLED), mend=damage),
    Fault("the newest checkpoint is gone", terminate, (COMPLETED, STOPPED), mend=hide),
    Fault("fsync fails with EIO", break_disk, (COMPLETED, FAILED), place=TRACED),
    Fault("writes fail with EIO", break_writes, (COMPLETED, FAILED), restarts=MANY, place=TRACED),
    Fault("files cannot be opened, EIO", break_opens, (COMPLETED, FAILED), restarts=MANY,
          place=TRACED),
    Fault("the link is cut for seconds", cut_link, place=NETWORK),
    Fault("the link is slow", slow_link, place=NETWORK),
    Fault("the clock is set", set_clock, place=FAKED_CLOCK),
]
