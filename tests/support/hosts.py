#!/usr/bin/python3
"""Simulates as many hosts for a test until it is killed, and prints the process of the switch and of each
host, in one line; with 0, tries whether this machine lets anybody simulate some. Where it does not, says
why and exits with status 77."""
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
from cluster import Cluster, ClusterError  # noqa: E402

try:
    with Cluster(int(sys.argv[1])) as cluster:
        print(cluster.switch.pid, *(host.pid for host in cluster.hosts), flush=True)
        if cluster.hosts:
            signal.pause()
except ClusterError as error:
    print(error)
    sys.exit(77)
