#!/usr/bin/python3
"""Networks that Yoke does not have, as people write their own. Run, it writes them as TorchScript
and prints the name and the images, as 3x32x32, of each."""
import argparse
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F

CLASSES = 10


def convolution_of(inputs, outputs, kernel, groups=1):
    """A convolution that keeps the pixels, and batch norm."""
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, kernel, padding=kernel // 2, groups=groups, bias=False),
        nn.BatchNorm2d(outputs))


class VggGelu(nn.Module):
    """3x3 convolutions with GELU and pools between them; the mean over pixels at the end."""

    def __init__(self):
        super().__init__()
        layers, inputs = [], 3
        for outputs in (64, 64, 0, 128, 128, 0, 256, 256):
            if outputs == 0:
                layers.append(nn.MaxPool2d(2))
                continue
            layers += [nn.Conv2d(inputs, outputs, 3, padding=1), nn.GELU()]
            inputs = outputs
        self.features = nn.Sequential(*layers)
        self.fc = nn.Linear(inputs, CLASSES)

    def forward(self, x):
        return self.fc(self.features(x).mean((2, 3)))


class ConvnextBlock(nn.Module):
    """Depthwise 7x7, layer norm and two linear layers with channels last, a learned scale."""

    def __init__(self, width):
        super().__init__()
        self.depthwise = nn.Conv2d(width, width, 7, padding=3, groups=width)
        self.norm = nn.LayerNorm(width, eps=1e-6)
        self.widen = nn.Linear(width, 4 * width)
        self.narrow = nn.Linear(4 * width, width)
        self.gamma = nn.Parameter(1e-6 * torch.ones(width))

    def forward(self, x):
        branch = self.norm(self.depthwise(x).permute(0, 2, 3, 1))
        branch = self.gamma * self.narrow(F.gelu(self.widen(branch)))
        return x + branch.permute(0, 3, 1, 2)


class Convnext(nn.Module):
    """Three ConvNeXt blocks behind patches of 4x4."""

    def __init__(self, width=96):
        super().__init__()
        self.stem = nn.Conv2d(3, width, 4, 4)
        self.blocks = nn.Sequential(*(ConvnextBlock(width) for _ in range(3)))
        self.norm = nn.LayerNorm(width)
        self.fc = nn.Linear(width, CLASSES)

    def forward(self, x):
        return self.fc(self.norm(self.blocks(self.stem(x)).mean((2, 3))))


class SqueezeExciteBlock(nn.Module):
    """Two convolutions whose channels are weighed by what their means say, added to the input."""

    def __init__(self, width):
        super().__init__()
        self.first = convolution_of(width, width, 3)
        self.second = convolution_of(width, width, 3)
        self.squeeze = nn.Linear(width, width // 8)
        self.excite = nn.Linear(width // 8, width)

    def forward(self, x):
        y = self.second(F.relu(self.first(x)))
        weights = torch.sigmoid(self.excite(F.relu(self.squeeze(y.mean((2, 3))))))
        return F.relu(x + y * weights[:, :, None, None])


class SqueezeExcite(nn.Module):
    """Squeeze-and-excite blocks at three sizes."""

    def __init__(self):
        super().__init__()
        layers, inputs = [], 3
        for width in (64, 128, 256):
            layers += [convolution_of(inputs, width, 3), nn.ReLU(), nn.MaxPool2d(2),
                       SqueezeExciteBlock(width)]
            inputs = width
        self.features = nn.Sequential(*layers)
        self.fc = nn.Linear(inputs, CLASSES)

    def forward(self, x):
        return self.fc(self.features(x).mean((2, 3)))


class InvertedResidual(nn.Module):
    """Six times as many channels, a depthwise convolution of them, and back."""

    def __init__(self, width):
        super().__init__()
        self.layers = nn.Sequential(
            convolution_of(width, 6 * width, 1), nn.ReLU6(),
            convolution_of(6 * width, 6 * width, 3, groups=6 * width), nn.ReLU6(),
            convolution_of(6 * width, width, 1))

    def forward(self, x):
        return x + self.layers(x)


class InvertedResiduals(nn.Module):
    """Inverted residuals at two sizes."""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            convolution_of(3, 32, 3), nn.ReLU6(), nn.MaxPool2d(2),
            *(InvertedResidual(32) for _ in range(2)),
            convolution_of(32, 64, 1), nn.MaxPool2d(2),
            *(InvertedResidual(64) for _ in range(3)))
        self.fc = nn.Linear(64, CLASSES)

    def forward(self, x):
        return self.fc(F.adaptive_avg_pool2d(self.features(x), 1).flatten(1))


class DenseLayer(nn.Module):
    """Batch norm, ReLU and convolutions of 1x1 and 3x3, joined to what they were made of."""

    def __init__(self, inputs, growth):
        super().__init__()
        self.layers = nn.Sequential(
            nn.BatchNorm2d(inputs), nn.ReLU(), nn.Conv2d(inputs, 4 * growth, 1, bias=False),
            nn.BatchNorm2d(4 * growth), nn.ReLU(),
            nn.Conv2d(4 * growth, growth, 3, padding=1, bias=False))

    def forward(self, x):
        return torch.cat([x, self.layers(x)], 1)


class Dense(nn.Module):
    """Two dense blocks of six layers."""

    def __init__(self, growth=32):
        super().__init__()
        self.stem = nn.Conv2d(3, 2 * growth, 3, 2, 1)
        self.first = nn.Sequential(*(DenseLayer((2 + i) * growth, growth) for i in range(6)))
        self.between = nn.Sequential(nn.Conv2d(8 * growth, 4 * growth, 1), nn.AvgPool2d(2))
        self.second = nn.Sequential(*(DenseLayer((4 + i) * growth, growth) for i in range(6)))
        self.fc = nn.Linear(10 * growth, CLASSES)

    def forward(self, x):
        return self.fc(self.second(self.between(self.first(self.stem(x)))).mean((2, 3)))


class TransformerBlock(nn.Module):
    """Attention and a perceptron, each behind a layer norm and added to the tokens."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.widen, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def attend(self, x):
        images, tokens, width = x.shape
        split = self.qkv(x).reshape(images, tokens, 3, self.heads, width // self.heads)
        q, k, v = split.permute(2, 0, 3, 1, 4).unbind(0)
        scores = (q @ k.transpose(-2, -1)) * (width // self.heads)**-0.5
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(images, tokens, width))

    def forward(self, x):
        x = x + self.attend(self.norm1(x))
        return x + self.narrow(F.gelu(self.widen(self.norm2(x))))


class SmallVit(nn.Module):
    """A vision transformer of four blocks over patches of 4x4."""

    def __init__(self, width=192, heads=3, tokens=64):
        super().__init__()
        self.patches = nn.Conv2d(3, width, 4, 4)
        self.token = nn.Parameter(torch.zeros(1, 1, width))
        self.positions = nn.Parameter(torch.randn(1, tokens + 1, width) * 0.02)
        self.blocks = nn.Sequential(*(TransformerBlock(width, heads) for _ in range(4)))
        self.norm = nn.LayerNorm(width)
        self.fc = nn.Linear(width, CLASSES)

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], 1) + self.positions
        return self.fc(self.norm(self.blocks(x))[:, 0])


MAKERS = {"vgg-gelu": VggGelu, "convnext": Convnext, "squeeze-excite": SqueezeExcite,
          "inverted-residuals": InvertedResiduals, "dense": Dense, "small-vit": SmallVit}
IMAGES = {name: (3, 64, 64) if name == "convnext" else (3, 32, 32) for name in MAKERS}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where NAME.ts is written for each")
    folder = parser.parse_args().folder
    if not folder.is_dir():
        parser.error(f"{folder} is no folder; make it first")
    for name, make in MAKERS.items():
        torch.manual_seed(1)
        torch.jit.script(make()).save(str(folder / f"{name}.ts"))
        print(name, "x".join(map(str, IMAGES[name])))


if __name__ == "__main__":
    main()
