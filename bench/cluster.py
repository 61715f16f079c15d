"""Simulated hosts on one machine, each with its own network, ssh server and share of the processors."""
import functools
import os
import re
import shlex
import subprocess
import tempfile
import time
from pathlib import Path

from processor_share import ProcessorShare, WholeMachine, check_cores

TOOLS = ("ip", "tc", "ssh", "/usr/sbin/sshd", "ssh-keygen", "setpriv", "unshare", "nsenter", "taskset")
# Holds TCP's largest packet, 64 KiB and a header for each 1448 bytes. Where one does not fit, the
# kernel cuts it, in time of the hosts' cores, and a quarter of the rate is lost.
BURST = "80kb"
NAMESPACES = ("--net", "--mount", "--uts", "--ipc", "--pid")


class ClusterError(Exception):
    """What cannot be simulated here, and what to do."""


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise ClusterError(f"{shlex.join(command)} failed: {(done.stdout + done.stderr).strip()}")
    return done.stdout


class Janitor:
    """Takes folders and control groups away once this process has ended, however it did."""

    SCRIPT = """trap '' INT TERM HUP
    while IFS= read -r path; do set -- "$@" "$path"; done
    for path; do
      case $path in /sys/*)
        while [ -d "$path" ] && ! rmdir "$path" 2>/dev/null; do sleep 0.05; done ;;
      *) rm -rf "$path" ;; esac
    done"""

    def __init__(self):
        self.process = subprocess.Popen(["sh", "-c", self.SCRIPT], stdin=subprocess.PIPE, text=True,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        start_new_session=True)

    def add(self, path):
        self.process.stdin.write(f"{path}\n")
        self.process.stdin.flush()

    def finish(self):
        self.process.stdin.close()
        self.process.wait()


class Host:
    """Processes in namespaces of their own, which end with this one."""

    def __init__(self, setup, last, share, log):
        """Runs `setup`, and then `last`, which stays."""
        self.share = share
        self.process = subprocess.Popen(
            [*share.words(), "setpriv", "--pdeathsig", "KILL", "unshare", *NAMESPACES, "--fork",
             "--kill-child", "--mount-proc", "sh", "-c", f"{setup} && echo ready && exec {last}"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, text=True)
        if self.process.stdout.readline() != "ready\n":
            raise ClusterError(f"cannot make a host: {Path(log.name).read_text()}")
        pid = self.process.pid
        self.pid = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0]

    def words(self, command, namespaces=NAMESPACES):
        return [*self.share.words(), "nsenter", "--target", self.pid, *namespaces,
                f"--wd={os.getcwd()}", "--", *command]

    def end(self):
        self.process.kill()  # and with it, by --kill-child, what is inside
        self.process.wait()


class Cluster:
    """`count` hosts called host1, host2, ... at 10.78.0.1, 2, ... on one switch, between which ssh
    needs no password; the disk is shared. `cores`: of each; `mbit`: of its link, each way;
    `latency_us`: of a packet. None: as the machine has. Ends with the process that made it, and
    leaves nothing behind."""

    def __init__(self, count, cores=None, mbit=None, latency_us=None):
        if os.geteuid() != 0:
            raise ClusterError("only root can make networks")
        for tool in TOOLS:
            if subprocess.run(["sh", "-c", f"PATH=$PATH:/usr/sbin; command -v {tool}"],
                              capture_output=True).returncode != 0:
                raise ClusterError(f"{tool} is missing: run scripts/install-dependencies --tests")
        if cores is not None:
            check_cores(cores, count)
        self.names = [f"host{number}" for number in range(1, count + 1)]
        self.cores, self.mbit, self.latency_us = cores, mbit, latency_us
        self.hosts, self.switch = [], None

    def __str__(self):
        parts = [f"{len(self.names)} simulated host{'s' if len(self.names) > 1 else ''}"]
        if self.cores is not None:
            parts.append(f"{self.cores:g} cores each")
        if self.mbit is not None:
            parts.append(f"links of {self.mbit:g} Mbit/s")
        if self.latency_us is not None:
            parts.append(f"{self.latency_us:g} us of latency")
        return ", ".join(parts)

    def __enter__(self):
        self.janitor = Janitor()
        try:
            self.folder = Path(tempfile.mkdtemp(prefix="yoke-cluster-", dir="/tmp"))  # no spaces
            self.janitor.add(self.folder)
            self.log = open(self.folder / "log", "w", encoding="utf-8")
            self.write_files()
            self.switch = Host("ip link add bridge0 type bridge && ip link set bridge0 up",
                               "sleep infinity", WholeMachine(), self.log)
            for number in range(len(self.names)):
                self.hosts.append(self.start_host(number))
            for number, name in enumerate(self.names):
                if self.mbit is not None:
                    self.shape(number, self.mbit)
                if self.latency_us is not None:
                    self.delay(number, self.latency_us)
                self.wait_for_ssh(name)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for host in [*self.hosts, *filter(None, [self.switch])]:
            host.end()
        self.janitor.finish()

    @staticmethod
    def address(number):
        return f"10.78.0.{number + 1}"

    def write_files(self):
        folder = self.folder
        for key in ("server_key", "key"):
            run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / key))
        (folder / "sshd_config").write_text(
            f"HostKey {folder}/server_key\nAuthorizedKeysFile {folder}/key.pub\nPermitRootLogin yes\n"
            "StrictModes no\nUsePAM no\nPidFile none\nMaxStartups 100\n")
        (folder / "ssh_config").write_text(
            f"Host *\n  IdentityFile {folder}/key\n  LogLevel ERROR\n  StrictHostKeyChecking no\n"
            "  UserKnownHostsFile /dev/null\n")
        # What ssh runs shall not run what the user's shell starts with, which may be killed half way.
        (folder / "passwd").write_text(re.sub(r"^(root:.*:).*$", r"\1/bin/sh",
                                              Path("/etc/passwd").read_text(), flags=re.MULTILINE))
        (folder / "hosts").write_text("127.0.0.1 localhost\n" + "".join(
            f"{self.address(number)} {name}\n" for number, name in enumerate(self.names)))

    def start_host(self, number):
        name, folder = self.names[number], self.folder
        share = WholeMachine()
        if self.cores is not None:
            share = ProcessorShare(f"{folder.name}-{name}", self.cores, number)
            self.janitor.add(share.folder)
            share.make()
        host = Host(f"hostname {name} && mount -t tmpfs shm /dev/shm && mount -t tmpfs run /run && "
                    f"mkdir /run/sshd && mount --bind {folder}/hosts /etc/hosts && "
                    f"mount --bind {folder}/passwd /etc/passwd && "
                    f"mount --bind {folder}/ssh_config /etc/ssh/ssh_config && ip link set lo up",
                    f"/usr/sbin/sshd -D -e -f {folder}/sshd_config", share, self.log)
        for words in (f"ip link add port{number} type veth peer name eth0 netns {host.pid}",
                      f"ip link set port{number} master bridge0 up"):
            run(*self.switch.words(words.split(), ["--net"]))
        for words in (f"ip address add {self.address(number)}/24 dev eth0", "ip link set eth0 up"):
            run(*host.words(words.split(), ["--net"]))
        return host

    def wait_for_ssh(self, name):
        """A machine may be slow, but not for ever."""
        last = time.monotonic() + 600
        while subprocess.run(self.on(0, ["ssh", name, "true"]), capture_output=True).returncode != 0:
            if time.monotonic() > last:
                raise ClusterError(f"no ssh to {name}: {(self.folder / 'log').read_text()}")
            time.sleep(0.05)

    def on(self, number, command):
        """The words that run `command` on a host, 0 for host1."""
        return self.hosts[number].words(list(map(str, command)))

    def places(self, count):
        """on() for each of the first hosts."""
        return [functools.partial(self.on, number) for number in range(count)]

    def shape(self, number, mbit):
        """Gives the host a link of so many Mbit/s each way."""
        discipline = f"root handle 1: tbf rate {mbit}mbit burst {BURST} latency 200ms".split()
        run(*self.hosts[number].words(["tc", "qdisc", "replace", "dev", "eth0", *discipline],
                                      ["--net"]))
        run(*self.switch.words(["tc", "qdisc", "replace", "dev", f"port{number}", *discipline],
                               ["--net"]))

    def delay(self, number, microseconds):
        """Lets what the host sends come later."""
        place = ["root"] if self.mbit is None else ["parent", "1:1"]
        try:
            run(*self.hosts[number].words(["tc", "qdisc", "add", "dev", "eth0", *place, "netem",
                                           "delay", f"{microseconds}us"], ["--net"]))
        except ClusterError as error:
            raise ClusterError(f"this kernel has no netem: {error}; leave out --latency-us") from error
