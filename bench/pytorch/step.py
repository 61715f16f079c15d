#!/usr/bin/python3
"""Times training steps of a model in plain PyTorch, on one batch kept in memory."""
import argparse
import contextlib
import ctypes
import json
import math
import os
import statistics
import time

import torch
from torch.nn import functional as F

import models
import own_models

IMAGES = models.IMAGES | own_models.IMAGES

# What each setting turns on; README.md beside this file explains them.
SETTINGS = {
    "as-installed": set(),
    "allocator": {"allocator"},
    "channels-last": {"allocator", "channels-last"},
    "bf16": {"allocator", "channels-last", "bf16"},
    "bf16-contiguous": {"allocator", "bf16"},
    "compile": {"allocator", "channels-last", "compile"},
    "compile-bf16": {"allocator", "channels-last", "bf16", "compile"},
}
WARM_UP_STEPS = LEAST_STEPS = 5
CLASSES = own_models.CLASSES


def keep_freed_memory():
    """Makes glibc's malloc keep freed memory, with the same values as yoke/core/system/allocator.cpp."""
    mallopt = ctypes.CDLL(None).mallopt
    trim_threshold, top_pad, mmap_max = -1, -2, -4  # from malloc.h
    accepted = [mallopt(mmap_max, 0), mallopt(trim_threshold, 2**31 - 1),
                mallopt(top_pad, 64 << 20)]
    if not all(accepted):
        raise SystemExit("step.py: mallopt() refused a value: setting 'allocator' needs glibc")


def make_batch(batch_size, image, channels_last):
    """A synthetic batch: images fp32 [N, C, H, W] and targets int64 [N]."""
    torch.manual_seed(1)
    images = torch.randn(batch_size, *image)
    if channels_last:
        images = images.contiguous(memory_format=torch.channels_last)
    return images, torch.randint(CLASSES, (batch_size,))


def make_step(model, images, targets, bf16):
    """A function that takes one training step and returns its loss."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)

    def step():
        optimizer.zero_grad(set_to_none=True)  # the default since PyTorch 2.0
        context = contextlib.nullcontext()
        if bf16:
            context = torch.autocast("cpu", dtype=torch.bfloat16)
        with context:
            loss = F.cross_entropy(model(images), targets)
        loss.backward()
        optimizer.step()
        return loss

    return step


def measure(step, seconds):
    """The milliseconds of each step, after the warm-up, sorted."""
    for _ in range(WARM_UP_STEPS):
        loss = step()
    times = []
    start = before = time.perf_counter()
    while len(times) < LEAST_STEPS or before - start < seconds:
        loss = step()
        now = time.perf_counter()
        times.append(1000 * (now - before))
        before = now
    if not math.isfinite(loss.item()):
        raise SystemExit(f"step.py: the loss became {loss.item()}: these times mean nothing")
    return sorted(times)


def active_blas():
    """What this process multiplies matrices with, by the libraries it has loaded."""
    if torch.backends.mkl.is_available():
        return "MKL"
    with open("/proc/self/maps", encoding="utf-8") as maps:
        files = {line.split()[-1] for line in maps}
    for library in ("libopenblas", "libblas"):  # Debian's libblas may only lead to libopenblas
        found = sorted(file for file in files if library in file)
        if found:
            return found[0]
    return "unknown"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", choices=IMAGES, required=True)
    parser.add_argument("--batch-size", type=int, default=256, metavar="B", help="images per step")
    parser.add_argument("--setting", choices=SETTINGS, default="as-installed")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), metavar="T",
                        help="threads of PyTorch (default: the cores of this process)")
    parser.add_argument("--seconds", type=float, default=5, metavar="S",
                        help=f"time measured, at least {LEAST_STEPS} steps (default: 5)")
    parser.add_argument("--channels", type=int, help="of the images (default: by model)")
    parser.add_argument("--size", type=int, help="height and width (default: by model)")
    parser.add_argument("--json", action="store_true", help="print a JSON object as the last line")
    arguments = parser.parse_args()
    for flag in ("batch_size", "threads", "channels", "size"):
        value = getattr(arguments, flag)
        if value is not None and value < 1:
            parser.error(f"--{flag.replace('_', '-')} {value}: give at least 1")
    if "compile" in SETTINGS[arguments.setting] and not hasattr(torch, "compile"):
        parser.error(f"--setting {arguments.setting} needs PyTorch 2; this is {torch.__version__}")
    channels, size, _ = IMAGES[arguments.model]
    arguments.channels = arguments.channels or channels
    arguments.size = arguments.size or size
    changed = (arguments.channels, arguments.size) != (channels, size)
    if changed and arguments.model in own_models.IMAGES:
        parser.error(f"--model {arguments.model} takes --channels {channels} --size {size} alone")
    return arguments


def make_model(name, image):
    if name in own_models.MAKERS:
        return own_models.MAKERS[name]()
    try:
        return models.make_model(name, *image, CLASSES)
    except ValueError as error:
        raise SystemExit(f"step.py: {error}") from None


def main():
    arguments = parse_arguments()
    setting = SETTINGS[arguments.setting]
    if "allocator" in setting:
        keep_freed_memory()
    torch.set_num_threads(arguments.threads)
    image = (arguments.channels, arguments.size, arguments.size)
    model = make_model(arguments.model, image).train()
    if "channels-last" in setting:
        model = model.to(memory_format=torch.channels_last)
    if "compile" in setting:
        model = torch.compile(model)
    batch = make_batch(arguments.batch_size, image, "channels-last" in setting)
    times = measure(make_step(model, *batch, "bf16" in setting), arguments.seconds)
    p50 = statistics.median(times)
    result = {
        "model": arguments.model, "batch_size": arguments.batch_size,
        "setting": arguments.setting, "threads": arguments.threads,
        "images_per_second": 1000 * arguments.batch_size / p50,
        "min_ms": times[0], "p50_ms": p50,
        "p99_ms": times[math.ceil(0.99 * len(times)) - 1], "max_ms": times[-1],
        "samples": len(times), "torch": torch.__version__, "blas": active_blas(),
        "parameters": models.count_parameters(model),
    }
    print("min_ms p50_ms p99_ms max_ms samples")
    print("{min_ms:.3f} {p50_ms:.3f} {p99_ms:.3f} {max_ms:.3f} {samples}".format(**result))
    print(f"{result['images_per_second']:,.0f} images/s")
    if arguments.json:
        print(json.dumps(result))


if __name__ == "__main__":
    main()
