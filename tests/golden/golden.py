"""The models of Yoke in plain PyTorch: trains one for ten steps and prints the losses.

Usage: golden.py MODEL sgd|adam LEARNING_RATE START FOLDER; MODEL is NAME[:KEY=VALUE,...], START
holds the weights and the batches, FOLDER models.py. Some models are torchvision's. Exits with
status 3 when MODEL is not there.
"""
import sys
import warnings

import torch
from torch import nn
from torch.nn import functional as F


# What torchvision calls its own.
TORCHVISION = {
    "vgg11": "vgg11_bn",
}


def make_torchvision(name, options, classes):
    """Builds torchvision's model without dropout; the one option that it lacks is vgg's `hidden`."""
    import torchvision
    options = dict(pair.split("=") for pair in options.split(",") if pair)
    model = getattr(torchvision.models, TORCHVISION[name])(num_classes=classes)
    if "hidden" in options:
        hidden = int(options["hidden"])
        model.classifier[0] = nn.Linear(model.classifier[0].in_features, hidden)
        model.classifier[3] = nn.Linear(hidden, hidden)
        model.classifier[6] = nn.Linear(hidden, classes)
    for module in model.modules():
        if isinstance(module, (nn.Dropout, torchvision.ops.StochasticDepth)):
            module.p = 0.0
    return model


def make_model(text, folder, classes):
    """Builds the model that is called `text`."""
    name, _, options = text.partition(":")
    if name in TORCHVISION:
        try:
            return make_torchvision(name, options, classes)
        except ImportError:
            sys.exit(3)
    sys.path.insert(0, folder)
    import models
    if name not in models.IMAGES:
        sys.exit(3)
    model = models.make_model(name, 3, 32, 32, classes)
    model.dropout = 0  # of the one that has it
    return model


def main(text, optimizer_name, learning_rate, path, folder):
    start = torch.load(path, weights_only=False)
    prefix = "weight."
    model = make_model(text, folder, classes=10)
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
