"""A training under `yoke run`, as scripts/soak disturbs it."""
import dataclasses
import json
import os
import random
import signal
import subprocess
import time
from pathlib import Path

from .places import ANYWHERE, Place

MARK = "YOKE_SOAK"  # in the environment of all that a training starts
STEPS_PER_EPOCH = 10
IMAGES = 600

STRATEGIES = ["allreduce", "allreduce:shard_state=true", "allreduce:compress=bf16",
              "allreduce:accumulate=2", "averaging:every=4", "averaging:every=3,momentum=average",
              "parameter-server", "parameter-server:servers=1",
              "parameter-server:mode=async,staleness=2", "hogwild"]
# Whose steps depend on which rank comes first.
FREE_RUNNING = ("parameter-server:mode=async", "hogwild")
# Of these only a good end is promised: a checkpoint of averaging holds the mean, not what each rank
# has between two means.
NOT_REPEATED = (*FREE_RUNNING, "averaging")
OPTIMIZERS = ["sgd", "sgd:momentum=0.9", "adam", "adamw", "muon", "lars", "lamb", "sgd:clip=1"]
# What each needs of the whole model, which a server or a rank with a part of it does not see.
WHOLE_MODEL = ("muon", "lars", "lamb", "sgd:clip=1")
MODELS = ["mlp", "lenet", "lab-cnn", "bn-cnn"]


@dataclasses.dataclass(frozen=True)
class Setting:
    """What a training is; equal settings give equal trainings."""
    ranks: int
    threads: int
    strategy: str
    comm: str
    optimizer: str
    model: str
    epochs: int
    checkpoint_every: int
    seed: int

    @staticmethod
    def drawn(draw: random.Random, place: Place = ANYWHERE) -> "Setting":
        strategy = draw.choice(STRATEGIES)
        ranks = draw.choice([2, 3])
        free = strategy.startswith(FREE_RUNNING)
        whole = [o for o in OPTIMIZERS if not strategy.startswith("parameter-server")
                 or o not in WHOLE_MODEL]
        # Hogwild needs plain SGD on shared memory, and models without statistics of batches.
        return Setting(
            ranks=ranks, threads=draw.choice([1, 1, 2]), strategy=strategy,
            comm="auto" if strategy == "hogwild" else
            draw.choice([place.comm] if place.comm else ["gloo", "shared-memory"]),
            optimizer="sgd" if strategy == "hogwild" else draw.choice(whole),
            model=draw.choice([m for m in MODELS if not (free and m == "bn-cnn")]),
            epochs=draw.choice([6, 10]), checkpoint_every=draw.choice([3, 5, 7]),
            seed=draw.randrange(1000))

    @property
    def repeats(self) -> bool:
        """Whether such a training that was resumed equals one that was not, bit for bit."""
        return not self.strategy.startswith(NOT_REPEATED)

    def words(self, out: Path) -> list[str]:
        return ["train", "--model", self.model, "--data", f"glyphs:train={IMAGES},validation=100",
                "--batch-size", str(IMAGES // STEPS_PER_EPOCH), "--epochs", str(self.epochs),
                "--optimizer", self.optimizer, "--strategy", self.strategy, "--comm", self.comm,
                "--threads", str(self.threads), "--seed", str(self.seed),
                "--checkpoint-every", f"{self.checkpoint_every}steps", "--keep", "3",
                "--comm-timeout", "60", "--print-every", "1", "--progress", "none",
                "--tensorboard", "off", "--resources", "off", "--out", str(out)]

    def __str__(self) -> str:
        return (f"{self.ranks} ranks, {self.threads} threads, {self.strategy}, {self.comm}, "
                f"{self.optimizer}, {self.model}")


class Training:
    """One training in a folder of its own, with its processes."""

    def __init__(self, program: Path, folder: Path, setting: Setting, place: Place = ANYWHERE):
        self.program, self.folder, self.setting, self.place = program, folder, setting, place
        self.run = folder / "run"
        self.process: subprocess.Popen | None = None
        folder.mkdir(parents=True)

    def start(self, restarts: int = 0, more: tuple[str, ...] = ()) -> None:
        environment = os.environ | {MARK: str(self.folder), "HOME": str(self.folder),
                                    "XDG_RUNTIME_DIR": "", **self.place.environment(self.folder)}
        words = [*self.place.words, self.program, "run", "-np", str(self.setting.ranks),
                 "--max-restarts", str(restarts), *self.setting.words(self.run), *more]
        with open(self.folder / "output", "ab") as output:
            self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=output,
                                            stderr=output, cwd=self.folder, env=environment)

    def output(self) -> str:
        return (self.folder / "output").read_text(encoding="utf-8", errors="replace")

    def goes_on(self) -> bool:
        return self.process.poll() is None

    def wait(self, seconds: float) -> int | None:
        """The exit status; None where it has not ended in time."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def processes(self) -> dict[int, dict[str, str]]:
        """All that go on, by number, with their environments."""
        mark = f"{MARK}={self.folder}".encode()
        found = {}
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                variables = (entry / "environ").read_bytes().split(b"\0")
            except OSError:
                continue
            if mark in variables:
                pairs = (v.decode(errors="replace").partition("=") for v in variables)
                found[int(entry.name)] = {name: value for name, _, value in pairs}
        return found

    def ranks(self) -> list[int]:
        """The processes of ranks, by rank."""
        by_rank = {int(environment["RANK"]): pid for pid, environment in self.processes().items()
                   if environment.get("RANK", "").isdigit()}
        return [by_rank[rank] for rank in sorted(by_rank)]

    def kill(self, pid: int, number: int) -> None:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass  # it has ended meanwhile

    def signal(self, number: int) -> None:
        self.kill(self.process.pid, number)

    def reports(self) -> list[dict]:
        """What metrics.jsonl says of each step, but for times."""
        try:
            lines = (self.run / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
        except OSError:
            return []
        kept = ("step", "epoch", "split", "loss", "top1", "top5", "lr")
        reports = []
        for line in lines:
            try:
                report = json.loads(line)
            except ValueError:
                break  # not written whole yet
            reports.append({key: report[key] for key in kept if key in report})
        return reports

    def steps(self) -> int:
        return max((report["step"] for report in self.reports()), default=0)

    def await_step(self, step: int, seconds: float = 120) -> bool:
        """Whether that many steps were reported while it went on."""
        last = time.monotonic() + seconds
        while self.goes_on() and time.monotonic() < last:
            if self.steps() >= step:
                return True
            time.sleep(0.01)
        return False

    def summary(self) -> dict:
        try:
            return json.loads((self.run / "summary.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}

    def end(self) -> None:
        """Ends what is left of it."""
        if self.process is not None and self.goes_on():
            self.signal(signal.SIGKILL)
            self.process.wait()
        for pid in self.processes():
            self.kill(pid, signal.SIGKILL)
