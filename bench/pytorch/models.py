"""The models of Yoke as plain PyTorch modules, with the same layers in the same order."""
from torch import nn
from torch.nn import functional as F

# Channels, height and width of the images that a model is measured with.
IMAGES = {
    "lab-cnn": (1, 32, 32),
    "cifar-net": (3, 32, 32),
    "six-layer": (3, 32, 32),
    "lenet": (1, 32, 32),
    "mlp": (1, 28, 28),
    "bn-cnn": (1, 28, 28),
    "resnet9": (3, 32, 32),
    "airbench": (3, 32, 32),
    "resnet18": (3, 32, 32),
    "resnet50": (3, 224, 224),
}


class LabCnn(nn.Module):
    """Two 5x5 convolutions and three fully connected layers; log-probabilities."""

    def __init__(self, channels, classes):
        super().__init__()
        self.dropout = 0.25
        self.conv1 = nn.Conv2d(channels, 16, 5)
        self.conv2 = nn.Conv2d(16, 32, 5)
        self.fc1 = nn.Linear(32 * 2 * 2, 512)
        self.fc2 = nn.Linear(512, 256)
        self.fc3 = nn.Linear(256, classes)

    def forward(self, x):
        x = F.relu(F.max_pool2d(self.conv1(x), 2))
        x = F.relu(F.max_pool2d(self.conv2(x), 2))
        x = F.dropout(x, self.dropout, self.training)
        x = F.relu(self.fc1(F.max_pool2d(x, 2).flatten(1)))
        return F.log_softmax(self.fc3(self.fc2(x)), 1)


class TwoConvolutions(nn.Module):
    """Two 5x5 convolutions and three fully connected layers: the form of LeNet and CifarNet."""

    def __init__(self, channels, first, classes):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, first, 5)
        self.conv2 = nn.Conv2d(first, 16, 5)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, classes)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = F.relu(self.fc1(x.flatten(1)))
        return self.fc3(F.relu(self.fc2(x)))


class SixLayer(nn.Module):
    """Three padded 3x3 convolutions and three fully connected layers."""

    def __init__(self, channels, height, width, classes):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, 32, 3, padding=1)
        self.conv2 = nn.Conv2d(32, 64, 3, padding=1)
        self.conv3 = nn.Conv2d(64, 128, 3, padding=1)
        self.fc1 = nn.Linear(128 * (height // 8) * (width // 8), 256)
        self.fc2 = nn.Linear(256, 128)
        self.fc3 = nn.Linear(128, classes)

    def forward(self, x):
        for convolution in (self.conv1, self.conv2, self.conv3):
            x = F.max_pool2d(F.relu(convolution(x)), 2)
        x = F.relu(self.fc1(x.flatten(1)))
        return self.fc3(F.relu(self.fc2(x)))


class Mlp(nn.Module):
    """Two hidden layers of 256 units with ReLU."""

    def __init__(self, inputs, classes):
        super().__init__()
        self.hidden = nn.ModuleList([nn.Linear(inputs, 256), nn.Linear(256, 256)])
        self.output = nn.Linear(256, classes)

    def forward(self, x):
        x = x.flatten(1)
        for layer in self.hidden:
            x = F.relu(layer(x))
        return self.output(x)


def make_convolution(inputs, outputs, kernel, stride):
    """A convolution padded so that its stride alone decides the size of its output."""
    return nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False)


class BasicBlock(nn.Module):
    """Two 3x3 convolutions with batch norm, added to a shortcut from input to output."""

    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = make_convolution(inputs, outputs, 3, stride)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = make_convolution(outputs, outputs, 3, 1)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.downsample = nn.Identity()
        if stride != 1 or inputs != outputs:
            self.downsample = nn.Sequential(
                make_convolution(inputs, outputs, 1, stride), nn.BatchNorm2d(outputs))

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)))
        return F.relu(self.bn2(self.conv2(y)) + self.downsample(x))


class Resnet18(nn.Module):
    """The 18-layer residual network; up to 32 pixels with a 3x3 stem and no max pool."""

    def __init__(self, channels, height, width, classes):
        super().__init__()
        self.large = max(height, width) > 32
        self.conv1 = make_convolution(channels, 64, *((7, 2) if self.large else (3, 1)))
        self.bn1 = nn.BatchNorm2d(64)
        stages, inputs = [], 64
        for outputs in (64, 128, 256, 512):
            stride = 1 if outputs == 64 else 2
            stages.append(nn.Sequential(BasicBlock(inputs, outputs, stride),
                                        BasicBlock(outputs, outputs, 1)))
            inputs = outputs
        self.layer1, self.layer2, self.layer3, self.layer4 = stages
        self.fc = nn.Linear(512, classes)
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")

    def forward(self, x):
        x = F.relu(self.bn1(self.conv1(x)))
        if self.large:
            x = F.max_pool2d(x, 3, 2, 1)
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(F.adaptive_avg_pool2d(x, 1).flatten(1))


def make_resnet50(channels, height, width, classes):
    """torchvision's network of 50 layers, whose stem is that of photos."""
    if channels != 3 or max(height, width) <= 32:
        raise ValueError(f"images of {channels}x{height}x{width} given to model 'resnet50', which "
                         "takes 3 channels and more than 32 pixels here")
    from torchvision.models import resnet50  # pylint: disable=import-outside-toplevel
    return resnet50(num_classes=classes)


class BnCnn(nn.Module):
    """Three 3x3 convolutions, each with a pool, batch norm and ReLU, and one fully connected layer."""

    def __init__(self, channels, height, width, classes):
        super().__init__()
        self.conv1 = make_convolution(channels, 16, 3, 1)
        self.bn1 = nn.BatchNorm2d(16)
        self.conv2 = make_convolution(16, 32, 3, 1)
        self.bn2 = nn.BatchNorm2d(32)
        self.conv3 = make_convolution(32, 64, 3, 1)
        self.bn3 = nn.BatchNorm2d(64)
        self.fc = nn.Linear(64 * (height // 8) * (width // 8), classes)

    def forward(self, x):
        for convolution, norm in ((self.conv1, self.bn1), (self.conv2, self.bn2),
                                  (self.conv3, self.bn3)):
            x = F.relu(norm(F.max_pool2d(convolution(x), 2)))
        return self.fc(x.flatten(1))


class ConvBn(nn.Module):
    """A 3x3 convolution, batch norm and ReLU."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.conv = make_convolution(inputs, outputs, 3, 1)
        self.bn = nn.BatchNorm2d(outputs)

    def forward(self, x):
        return F.relu(self.bn(self.conv(x)))


class Stage(nn.Module):
    """A ConvBn and a pool; where `residual`, two more with a shortcut around them."""

    def __init__(self, inputs, outputs, residual):
        super().__init__()
        self.first = ConvBn(inputs, outputs)
        if residual:
            self.second = ConvBn(outputs, outputs)
            self.third = ConvBn(outputs, outputs)
        self.residual = residual

    def forward(self, x):
        x = F.max_pool2d(self.first(x), 2)
        return x + self.third(self.second(x)) if self.residual else x


class Resnet9(nn.Module):
    """The nine-layer residual network for 32x32 images."""

    def __init__(self, channels, classes):
        super().__init__()
        self.prep = ConvBn(channels, 64)
        self.layer1 = Stage(64, 128, True)
        self.layer2 = Stage(128, 256, False)
        self.layer3 = Stage(256, 512, True)
        self.fc = nn.Linear(512, classes)

    def forward(self, x):
        x = self.layer3(self.layer2(self.layer1(self.prep(x))))
        return self.fc(F.adaptive_avg_pool2d(x, 1).flatten(1))


class PoolBlock(nn.Module):
    """Two 3x3 convolutions, each with batch norm and GELU; the first is pooled."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.conv1 = make_convolution(inputs, outputs, 3, 1)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = make_convolution(outputs, outputs, 3, 1)
        self.bn2 = nn.BatchNorm2d(outputs)

    def forward(self, x):
        x = F.gelu(self.bn1(F.max_pool2d(self.conv1(x), 2)), approximate="tanh")
        return F.gelu(self.bn2(self.conv2(x)), approximate="tanh")


class Airbench(nn.Module):
    """Six convolutions behind one of 2x2 patches; initial values are PyTorch's own."""

    def __init__(self, channels, classes):
        super().__init__()
        self.patches = nn.Conv2d(channels, 8 * channels, 2, bias=False)
        self.bn = nn.BatchNorm2d(8 * channels, eps=5e-4)
        self.block1 = PoolBlock(8 * channels, 64)
        self.block2 = PoolBlock(64, 256)
        self.block3 = PoolBlock(256, 256)
        self.fc = nn.Linear(256, classes)

    def forward(self, x):
        x = F.gelu(self.bn(self.patches(x)), approximate="tanh")
        x = self.block3(self.block2(self.block1(x)))
        return self.fc(x.amax((2, 3)) / 9)


def make_model(name, channels, height, width, classes):
    """Builds the model of that name for images of [channels, height, width]."""
    if name in ("lab-cnn", "cifar-net", "lenet") and (height, width) != (32, 32):
        raise ValueError(f"images of {height}x{width} given to model '{name}', which takes 32x32")
    makers = {
        "lab-cnn": lambda: LabCnn(channels, classes),
        "cifar-net": lambda: TwoConvolutions(channels, 64, classes),
        "six-layer": lambda: SixLayer(channels, height, width, classes),
        "lenet": lambda: TwoConvolutions(channels, 6, classes),
        "mlp": lambda: Mlp(channels * height * width, classes),
        "bn-cnn": lambda: BnCnn(channels, height, width, classes),
        "resnet9": lambda: Resnet9(channels, classes),
        "airbench": lambda: Airbench(channels, classes),
        "resnet18": lambda: Resnet18(channels, height, width, classes),
        "resnet50": lambda: make_resnet50(channels, height, width, classes),
    }
    if name not in makers:
        raise ValueError(f"no model '{name}'; there are {', '.join(makers)}")
    return makers[name]()


def count_parameters(model):
    """The number of trainable parameters."""
    return sum(parameter.numel() for parameter in model.parameters())
