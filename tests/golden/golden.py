"""The models of Yoke in plain PyTorch: trains one for ten steps and prints the losses.

Usage: golden.py MODEL sgd|adam LEARNING_RATE START FOLDER; START holds the weights and the batches,
FOLDER models.py. Exits with status 3 when MODEL is not there.
"""
import sys
import warnings

import torch
from torch.nn import functional as F


def main(name, optimizer_name, learning_rate, path, folder):
    sys.path.insert(0, folder)
    import models
    if name not in models.IMAGES:
        sys.exit(3)
    start = torch.load(path, weights_only=False)
    prefix = "weight."
    model = models.make_model(name, 3, 32, 32, 10)
    model.dropout = 0  # of the one that has it
    model.load_state_dict({key[len(prefix):]: value for key, value in start.items()
                           if key.startswith(prefix)})
    if optimizer_name == "adam":
        optimizer = torch.optim.Adam(model.parameters(), float(learning_rate))
    else:
        optimizer = torch.optim.SGD(model.parameters(), float(learning_rate), momentum=0.9)
    for step in range(10):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(start[f"input.{step}"]), start[f"target.{step}"])
        loss.backward()
        optimizer.step()
        print(f"{loss.item():.9g}")


warnings.simplefilter("ignore")
main(*sys.argv[1:])
