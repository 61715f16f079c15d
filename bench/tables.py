"""What scripts/compare and compare-runs share: tables in documents, and where they came from."""
import datetime
import os
import platform
import re
import shlex
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
YOKE = "build/bin/yoke"


def script():
    return f"scripts/{Path(sys.argv[0]).name}"


def fail(*lines):
    sys.exit("\n".join((f"{script()}: {lines[0]}", *lines[1:])))


def write_whole(path, text):
    """Into a file, in a folder that is made if there is none, or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(path.name + ".tmp")
    temporary.write_text(text, encoding="utf-8")
    os.replace(temporary, path)


class Table:
    """A part of a Markdown file between two markers; the file is made if there is none."""

    def __init__(self, path, name):
        self.path = path
        self.begin, self.end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"

    def around(self):
        """The text before and after, markers included."""
        new = f"# Performance\n\n{self.begin}\n{self.end}\n"
        text = self.path.read_text(encoding="utf-8") if self.path.exists() else new
        begin, end = text.find(self.begin), text.find(self.end)
        if text.count(self.begin) != 1 or text.count(self.end) != 1 or end < begin:
            fail(f"{self.path} must hold each of these lines once; the table goes between them:",
                 self.begin, self.end)
        return text[:begin + len(self.begin)], text[end:]

    def check(self, program=YOKE):
        """Fails now rather than after the measurements."""
        self.around()
        if not os.access(self.path.parent, os.W_OK):
            fail(f"cannot write into the folder {self.path.parent}")
        if not os.access(ROOT / program, os.X_OK):
            fail(f"{program} is missing: run make")

    def write(self, rows):
        table = "\n".join(rows)
        print(table, flush=True)  # first, so that no trouble with the file loses it
        before, after = self.around()
        write_whole(self.path, f"{before}\n{table}\n{after}")


def cpu():
    """The fields of the first core in /proc/cpuinfo."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").split("\n\n")[0].splitlines()
    return {name.strip(): value.strip() for name, _, value in (x.partition(":") for x in lines)}


def features():
    known = ("avx2", "avx512f", "avx512_bf16", "avx512_fp16", "amx_bf16")
    return [name for name in known if name in cpu().get("flags", "").split()]


def has_bf16():
    return bool({"avx512_bf16", "amx_bf16"} & set(features()))


def spread(numbers, form):
    """The median, and the least and the largest."""
    return f"{statistics.median(numbers):{form}} ({min(numbers):{form}} to {max(numbers):{form}})"


def ratios(over, under):
    """Of what was measured in the same round."""
    return [a / b for a, b in zip(over, under)]


def command():
    """This one, without where the data are on this machine."""
    words = [script(), *sys.argv[1:]]
    return shlex.join(
        "DIR" if before == "--data-dir" else re.sub("^(--data-dir)=.*", r"\1=DIR", word)
        for before, word in zip(["", *words], words))


def origin(versions="", program=YOKE, variables=None):
    """On what, when and how this was measured."""
    version = subprocess.run([ROOT / program, "--version"], capture_output=True, text=True,
                             env=variables).stdout
    return [f"- Hardware: {cpu().get('model name', platform.machine())}, "
            f"{len(os.sched_getaffinity(0))} cores, {' '.join(features())}",
            f"- Versions: {versions}{version.strip()};",
            f"  {platform.freedesktop_os_release()['PRETTY_NAME']}, "
            f"{' '.join(platform.libc_ver())}",
            f"- Date: {datetime.date.today()}",
            f"- Command: `{command()}`"]
