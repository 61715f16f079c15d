#!/usr/bin/python3
"""Times torchvision's DataLoader over a folder of photos, with ImageNet's usual training transforms."""
import argparse
import json
import time

import torch
import torchvision
from torch.utils.data import DataLoader, RandomSampler
from torchvision import transforms

MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


POLICIES = {"none": [], "trivial-augment-wide": [transforms.TrivialAugmentWide()],
            "rand-augment": [transforms.RandAugment()]}


def make_loader(root, size, policy, batch_size, workers):
    """Endless shuffled batches: images fp32 [N, 3, size, size] and targets int64 [N]."""
    data = torchvision.datasets.ImageFolder(root, transforms.Compose([
        transforms.RandomResizedCrop(size),
        transforms.RandomHorizontalFlip(),
        *POLICIES[policy],
        transforms.ToTensor(),
        transforms.Normalize(MEAN, DEVIATION)]))
    endless = RandomSampler(data, replacement=True, num_samples=2**40)
    return DataLoader(data, batch_size, sampler=endless, num_workers=workers)


def measure(loader, seconds, warm_up):
    """Images per second, once `warm_up` batches were made."""
    batches = iter(loader)
    for _ in range(warm_up):
        next(batches)
    images = 0
    start = time.perf_counter()
    while time.perf_counter() - start < seconds:
        images += len(next(batches)[1])
    return images / (time.perf_counter() - start)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", required=True, metavar="DIR", help="a folder of images per class")
    parser.add_argument("--size", type=int, default=224, metavar="N")
    parser.add_argument("--auto-augment", choices=POLICIES, default="none",
                        help="operations that images are changed by (default: none)")
    parser.add_argument("--batch-size", type=int, default=64, metavar="N")
    parser.add_argument("--workers", type=int, default=1, metavar="N",
                        help="processes that make batches; 0: this one (default: 1)")
    parser.add_argument("--seconds", type=float, default=5, metavar="S")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    loader = make_loader(arguments.root, arguments.size, arguments.auto_augment,
                         arguments.batch_size, arguments.workers)
    speed = measure(loader, arguments.seconds, warm_up=4 + 2 * arguments.workers)
    print(json.dumps({"images_per_second": speed, "workers": arguments.workers,
                      "torch": torch.__version__, "torchvision": torchvision.__version__,
                      "pillow": __import__("PIL").__version__}))


if __name__ == "__main__":
    main()
