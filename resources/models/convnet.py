"""A small convolutional classifier."""

import torch
from torch import Tensor, nn


class Stage(nn.Module):
    """Convolution, batch norm, ReLU."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, 3, stride=stride, padding=1, bias=False, dtype=torch.float16)
        self.norm = nn.BatchNorm2d(outputs, dtype=torch.float16)
        self.norm.running_mean = torch.randn(outputs, dtype=torch.float16) / 8
        self.norm.running_var = torch.rand(outputs, dtype=torch.float16) + 0.5

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(self.norm(self.conv(x)))


class ConvNet(nn.Module):
    """Three stages with a pool between them, the mean over the image, a linear layer."""

    def __init__(self, channels: int, classes: int) -> None:
        super().__init__()
        self.stem = Stage(3, channels, 1)
        self.pool = nn.MaxPool2d(2)
        self.narrow = Stage(channels, channels, 1)
        self.wide = Stage(channels, 2 * channels, 2)
        self.head = nn.Linear(2 * channels, classes, dtype=torch.float16)

    def forward(self, x: Tensor) -> Tensor:
        x = self.pool(self.stem(x))
        x = self.wide(self.narrow(x))
        x = x.mean(dim=(2, 3))
        scores: Tensor = self.head(x)
        return scores


def factory(
    images: int = 1, size: int = 32, channels: int = 64, classes: int = 10
) -> tuple[nn.Module, tuple[Tensor, ...]]:
    """The module and images [images, 3, size, size] in float16."""
    torch.manual_seed(0)
    return ConvNet(channels, classes).eval(), (torch.randn(images, 3, size, size, dtype=torch.float16),)
