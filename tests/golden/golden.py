"""The models of Yoke in plain PyTorch: trains one for ten steps and prints the losses.

Usage: golden.py MODEL sgd|adam LEARNING_RATE START; START holds the weights and the batches.
Exits with status 3 when MODEL has no class here.
"""
import sys
import warnings

import torch
from torch import nn
from torch.nn import functional as F


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.ModuleList([nn.Linear(3 * 32 * 32, 256), nn.Linear(256, 256)])
        self.output = nn.Linear(256, 10)

    def forward(self, x):
        x = x.flatten(1)
        for layer in self.hidden:
            x = F.relu(layer(x))
        return self.output(x)


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 6, 5)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(400, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2).flatten(1)
        return self.fc3(F.relu(self.fc2(F.relu(self.fc1(x)))))


class LabCnn(nn.Module):  # without its dropout
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 16, 5)
        self.conv2 = nn.Conv2d(16, 32, 5)
        self.fc1 = nn.Linear(128, 512)
        self.fc2 = nn.Linear(512, 256)
        self.fc3 = nn.Linear(256, 10)

    def forward(self, x):
        x = F.relu(F.max_pool2d(self.conv1(x), 2))
        x = F.relu(F.max_pool2d(self.conv2(x), 2))
        x = F.relu(self.fc1(F.max_pool2d(x, 2).flatten(1)))
        return F.log_softmax(self.fc3(self.fc2(x)), 1)


class SixLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 32, 3, padding=1)
        self.conv2 = nn.Conv2d(32, 64, 3, padding=1)
        self.conv3 = nn.Conv2d(64, 128, 3, padding=1)
        self.fc1 = nn.Linear(128 * 4 * 4, 256)
        self.fc2 = nn.Linear(256, 128)
        self.fc3 = nn.Linear(128, 10)

    def forward(self, x):
        for convolution in (self.conv1, self.conv2, self.conv3):
            x = F.max_pool2d(F.relu(convolution(x)), 2)
        return self.fc3(F.relu(self.fc2(F.relu(self.fc1(x.flatten(1))))))


class CifarNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, 5)
        self.conv2 = nn.Conv2d(64, 16, 5)
        self.fc1 = nn.Linear(400, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2).flatten(1)
        return self.fc3(F.relu(self.fc2(F.relu(self.fc1(x)))))


def convolution(inputs, outputs, kernel, stride):
    return nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False)


class BasicBlock(nn.Module):
    expansion = 1

    def __init__(self, inputs, width, stride):
        super().__init__()
        self.conv1 = convolution(inputs, width, 3, stride)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = convolution(width, width, 3, 1)
        self.bn2 = nn.BatchNorm2d(width)
        self.downsample = nn.Identity()
        if stride != 1 or inputs != width:
            self.downsample = nn.Sequential(
                convolution(inputs, width, 1, stride), nn.BatchNorm2d(width))

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)))
        return F.relu(self.bn2(self.conv2(y)) + self.downsample(x))


class Bottleneck(nn.Module):
    expansion = 4

    def __init__(self, inputs, width, stride):
        super().__init__()
        outputs = 4 * width
        self.conv1 = convolution(inputs, width, 1, 1)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = convolution(width, width, 3, stride)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = convolution(width, outputs, 1, 1)
        self.bn3 = nn.BatchNorm2d(outputs)
        self.downsample = nn.Identity()
        if stride != 1 or inputs != outputs:
            self.downsample = nn.Sequential(
                convolution(inputs, outputs, 1, stride), nn.BatchNorm2d(outputs))

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)))
        y = F.relu(self.bn2(self.conv2(y)))
        return F.relu(self.bn3(self.conv3(y)) + self.downsample(x))


class Resnet(nn.Module):  # with the 3x3 stem of small images
    def __init__(self, block, blocks):
        super().__init__()
        self.conv1 = convolution(3, 64, 3, 1)
        self.bn1 = nn.BatchNorm2d(64)
        inputs = 64
        for i, count in enumerate(blocks):
            stage = nn.Sequential()
            for j in range(count):
                stage.append(block(inputs, 64 << i, 2 if i > 0 and j == 0 else 1))
                inputs = block.expansion * (64 << i)
            setattr(self, f"layer{i + 1}", stage)
        self.fc = nn.Linear(inputs, 10)

    def forward(self, x):
        x = F.relu(self.bn1(self.conv1(x)))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(F.adaptive_avg_pool2d(x, 1).flatten(1))


MODELS = {"mlp": Mlp, "lenet": LeNet, "lab-cnn": LabCnn, "six-layer": SixLayer,
          "cifar-net": CifarNet, "resnet18": lambda: Resnet(BasicBlock, [2, 2, 2, 2]),
          "resnet34": lambda: Resnet(BasicBlock, [3, 4, 6, 3]),
          "resnet50": lambda: Resnet(Bottleneck, [3, 4, 6, 3])}


def main(name, optimizer_name, learning_rate, path):
    if name not in MODELS:
        sys.exit(3)
    start = torch.load(path, weights_only=False)
    prefix = "weight."
    model = MODELS[name]()
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
