#!/usr/bin/python3
"""Trains the six-layer network on Fashion-MNIST to a target accuracy, as a plain PyTorch program does."""
import argparse
import json
import os
import time

import torch
from torch import nn
from torch.utils.data import DataLoader
from torchvision import datasets, transforms

from models import SixLayer


def make_loader(root, train):
    images = transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.2860,), (0.3530,))])
    return DataLoader(datasets.FashionMNIST(root, train, images), batch_size=64, shuffle=train)


def train_epoch(model, loader, optimizer):
    model.train()
    for images, targets in loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(images), targets).backward()
        optimizer.step()


def accuracy(model, loader):
    model.eval()
    right = 0
    with torch.no_grad():
        for images, targets in loader:
            right += (model(images).argmax(1) == targets).sum().item()
    return right / len(loader.dataset)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", required=True, metavar="DIR", help="torchvision's root")
    parser.add_argument("--target", type=float, default=0.9, metavar="A", help="(default: 0.9)")
    parser.add_argument("--lr", type=float, default=0.01, metavar="F", help="(default: 0.01)")
    parser.add_argument("--epochs", type=int, default=40, metavar="N", help="at most (default: 40)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="(default: 1)")
    arguments = parser.parse_args()
    torch.set_num_threads(len(os.sched_getaffinity(0)))  # some builds take one
    torch.manual_seed(arguments.seed)
    training, validation = (make_loader(arguments.root, train) for train in (True, False))
    model = SixLayer(1, 28, 28, 10)
    optimizer = torch.optim.SGD(model.parameters(), lr=arguments.lr, momentum=0.9)
    start = time.perf_counter()
    for epoch in range(1, arguments.epochs + 1):
        train_epoch(model, training, optimizer)
        reached = accuracy(model, validation)
        seconds = time.perf_counter() - start
        print(f"epoch {epoch}: accuracy {reached:.4f}, {seconds:.1f} s", flush=True)
        if reached >= arguments.target:
            break
    print(json.dumps({"seconds": seconds if reached >= arguments.target else None,
                      "epochs": epoch, "accuracy": reached, "threads": torch.get_num_threads(),
                      "torch": torch.__version__}))


if __name__ == "__main__":
    main()
