#!/usr/bin/python3
"""Times training steps over ranks with PyTorch's DistributedDataParallel and gloo: of this process,
or by torchrun's variables."""
import argparse
import json
import os
import statistics
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as multiprocessing
from torch.nn.parallel import DistributedDataParallel

import models
from step import CLASSES, SETTINGS, keep_freed_memory, make_batch, make_step

WARM_UP_STEPS = 5


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", choices=models.IMAGES, required=True)
    parser.add_argument("--batch-size", type=int, default=256, metavar="B",
                        help="images per step over all ranks")
    parser.add_argument("--setting", choices=SETTINGS, default="as-installed")
    parser.add_argument("--ranks", type=int, default=2, metavar="N", help="processes (default: 2)")
    parser.add_argument("--channels", type=int, help="of the images (default: by model)")
    parser.add_argument("--size", type=int, help="height and width (default: by model)")
    parser.add_argument("--steps", type=int, default=100, metavar="N", help="measured")
    arguments = parser.parse_args()
    if min(arguments.batch_size, arguments.ranks, arguments.steps) < 1:
        parser.error("--batch-size, --ranks and --steps must be at least 1")
    return arguments


def train(rank, arguments):
    """One rank of one thread; rank 0 prints the result."""
    torch.set_num_threads(1)
    setting = SETTINGS[arguments.setting]
    if "allocator" in setting:
        keep_freed_memory()
    dist.init_process_group("gloo", rank=rank, world_size=arguments.ranks)
    channels, size, _ = models.IMAGES[arguments.model]
    size = arguments.size or size
    image = (arguments.channels or channels, size, size)
    model = models.make_model(arguments.model, *image, CLASSES).train()
    if "channels-last" in setting:
        model = model.to(memory_format=torch.channels_last)
    batch = make_batch(arguments.batch_size // arguments.ranks, image, "channels-last" in setting)
    step = make_step(DistributedDataParallel(model), *batch, "bf16" in setting)
    for _ in range(WARM_UP_STEPS):
        step()
    times = []
    for _ in range(arguments.steps):
        before = time.perf_counter()
        step()
        times.append(time.perf_counter() - before)
    if rank == 0:
        print(json.dumps({"model": arguments.model, "setting": arguments.setting,
                          "ranks": arguments.ranks, "batch_size": arguments.batch_size,
                          "images_per_second": arguments.batch_size / statistics.median(times),
                          "torch": torch.__version__}))
    dist.destroy_process_group()


def train_on_core(rank, arguments):
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[rank % len(cores)]})
    train(rank, arguments)


def main():
    arguments = parse_arguments()
    if "WORLD_SIZE" in os.environ:
        arguments.ranks = int(os.environ["WORLD_SIZE"])
        train(int(os.environ["RANK"]), arguments)
        return
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", "29511")
    multiprocessing.spawn(train_on_core, (arguments,), arguments.ranks)


if __name__ == "__main__":
    main()
