"""Shares of this machine's processors, for simulated hosts."""
import math
import os
from pathlib import Path

LEAST_US = 2000  # of computing, and of waiting, at a time: where they are shorter Linux gives less
WHOLE_US = 10_000  # the period of shares of nearly a whole processor, or of several
LEAST_CORES = 0.1  # whose period is ten times LEAST_US


class ShareError(Exception):
    """What cannot be had here, and what to do."""


def processors():
    return sorted(os.sched_getaffinity(0))


def most_cores(hosts):
    """Of each of so many hosts, where none shall wait for another: those on one processor share it."""
    count = len(processors())
    return count // hosts if hosts <= count else 1 / math.ceil(hosts / count)


def check_cores(cores, hosts):
    count, most = len(processors()), most_cores(hosts)
    if most < LEAST_CORES:
        raise ShareError(f"{hosts} hosts are too many for shares of {count} processors; allowed: 1 to "
                         f"{math.floor(count / LEAST_CORES)}, or leave out --cores")
    if not LEAST_CORES <= cores <= most:
        raise ShareError(f"--cores is {cores:g}; allowed: {LEAST_CORES} to {most:g}, as this machine "
                         f"has {count} for {hosts} hosts")


def period_us(cores):
    """As short as can be: what a host computes after it waited, up to a quota, is as fast as by a whole
    processor."""
    for_computing = LEAST_US / cores
    for_waiting = LEAST_US / (1 - cores) if cores < 1 else WHOLE_US
    return round(max(for_computing, min(for_waiting, WHOLE_US)))


class ProcessorShare:
    """A control group, of version 1 or 2, with a quota of processor time, on processors of its own:
    Linux would run two hosts on one and leave another idle."""

    def __init__(self, name, cores, number):
        every, width = processors(), math.ceil(cores)
        self.processors = [every[(number * width + i) % len(every)] for i in range(width)]
        self.period_us = period_us(cores)
        self.quota_us = round(cores * self.period_us)
        self.is_second = Path("/sys/fs/cgroup/cgroup.controllers").exists()
        self.folder = Path("/sys/fs/cgroup" if self.is_second else "/sys/fs/cgroup/cpu") / name

    def make(self):
        try:
            if self.is_second:
                (self.folder.parent / "cgroup.subtree_control").write_text("+cpu")
            self.folder.mkdir()
            if self.is_second:
                (self.folder / "cpu.max").write_text(f"{self.quota_us} {self.period_us}")
            else:
                (self.folder / "cpu.cfs_period_us").write_text(str(self.period_us))
                (self.folder / "cpu.cfs_quota_us").write_text(str(self.quota_us))
        except OSError as error:
            raise ShareError("this machine lets nobody make control groups with a quota of processor "
                             f"time: {error}; leave out --cores") from error

    def words(self):
        """Before a command: runs it with this share."""
        return ["taskset", "--cpu-list", ",".join(map(str, self.processors)), "sh", "-c",
                f'echo $$ >{self.folder}/cgroup.procs && exec "$@"', "sh"]


class WholeMachine:
    def words(self):
        return []
