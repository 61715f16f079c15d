#!/usr/bin/python3
"""Times training steps of a model of Yoke in plain PyTorch on a GPU, on one batch kept there: the
steps one by one, and recorded as a CUDA graph."""
import argparse
import json
import math
import statistics
import time

import torch
from torch.nn import functional as F

import models
from step import CLASSES, WARM_UP_STEPS, make_batch

TOGETHER = 10  # steps between two looks at the clock, for the GPU runs behind
FORMATS = {  # what `yoke bench step` calls --precision and --tf32
    "fp32": (None, False, False),
    "fp32, tf32 in convolutions": (None, True, False),
    "fp32, tf32": (None, True, True),
    "bf16": (torch.bfloat16, True, False),
    "o1": (torch.float16, True, False),
}


def make_model(name, image):
    if name in models.IMAGES:
        return models.make_model(name, *image, CLASSES)
    import torchvision  # pylint: disable=import-outside-toplevel
    return getattr(torchvision.models, name)(num_classes=CLASSES)


def make_step(model, images, targets, half):
    """A function that takes one training step and returns its loss."""
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4, momentum=0.9)
    scaler = torch.amp.GradScaler("cuda", enabled=half == torch.float16)

    def step():
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cuda", dtype=half, enabled=half is not None):
            loss = F.cross_entropy(model(images), targets)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        return loss

    return step


def record(step):
    """The same step as a graph: forward, backward and optimizer by one launch."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(WARM_UP_STEPS):
            step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        loss = step()

    def replay():
        graph.replay()
        return loss

    return replay


def measure(step, seconds):
    """Milliseconds of a step: the median over groups of steps."""
    for _ in range(2 * TOGETHER):
        loss = step()
    torch.cuda.synchronize()
    times = []
    start = before = time.perf_counter()
    while len(times) < 3 or before - start < seconds:
        for _ in range(TOGETHER):
            loss = step()
        torch.cuda.synchronize()
        now = time.perf_counter()
        times.append(1000 * (now - before) / TOGETHER)
        before = now
    if not math.isfinite(loss.item()):
        raise SystemExit(f"gpu_step.py: the loss became {loss.item()}: these times mean nothing")
    return statistics.median(times)


def workload(text):
    """MODEL:CxHxW:BATCH"""
    name, image, batch = text.split(":")
    return name, tuple(int(part) for part in image.split("x")), int(batch)


def measure_workload(name, image, batch_size, half, seconds):
    """Images per second of steps one by one, and as a graph where that is possible."""
    model = make_model(name, image).train().to("cuda").to(memory_format=torch.channels_last)
    images, targets = (part.to("cuda") for part in make_batch(batch_size, image, True))
    step = make_step(model, images, targets, half)
    found = {"plain": 1000 * batch_size / measure(step, seconds)}
    if half != torch.float16:  # GradScaler waits for the GPU, which no graph may
        found["graph"] = 1000 * batch_size / measure(record(step), seconds)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workloads", nargs="+", type=workload, metavar="MODEL:CxHxW:BATCH",
                        help="a model of models.py or of torchvision, and its images")
    parser.add_argument("--format", choices=FORMATS, default="bf16")
    parser.add_argument("--seconds", type=float, default=2, metavar="S", help="measured of each")
    arguments = parser.parse_args()
    if not torch.cuda.is_available():
        raise SystemExit("gpu_step.py: this PyTorch sees no GPU; step.py measures processors")
    half, convolutions, products = FORMATS[arguments.format]
    torch.backends.cudnn.allow_tf32 = convolutions
    torch.backends.cuda.matmul.allow_tf32 = products
    torch.backends.cudnn.benchmark = True
    found = [measure_workload(*each, half, arguments.seconds) for each in arguments.workloads]
    print(json.dumps({"format": arguments.format, "torch": torch.__version__, "found": found}))


if __name__ == "__main__":
    main()
