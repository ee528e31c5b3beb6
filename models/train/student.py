"""The photo tower's trunk: one stem to stride 8, then a tail for each teacher.

Every cut (strides 8, 16, 32, pooled) has its teacher's width and meaning, so that each stage can be taught by itself.
"""
import torch
import torch.nn as nn
import torch.nn.functional as F

from teacher import CUTS, LISTS

WIDTH8, WIDTH16, WIDTH32 = 3 * CUTS[0][1], CUTS[1][1], CUTS[2][1]  # the stem's output is the three teachers' maps side by side
FEATURES = 1280


def conv(i: int, o: int, kernel: int = 3, stride: int = 1, groups: int = 1, act: bool = True) -> nn.Sequential:
    """Convolution, batch norm, ReLU. Stride 2 pads right and below only, so that positions line up with the teachers'."""
    layers = [nn.ZeroPad2d((0, 1, 0, 1))] if stride == 2 else []
    layers.append(nn.Conv2d(i, o, kernel, stride, 0 if stride == 2 else kernel // 2, groups=groups, bias=False))
    layers.append(nn.BatchNorm2d(o))
    return nn.Sequential(*layers, *([nn.ReLU(inplace=True)] if act else []))


class Residual(nn.Module):
    """two dense 3x3 convolutions around a skip"""

    def __init__(self, width: int):
        super().__init__()
        self.f = nn.Sequential(conv(width, width), conv(width, width, act=False))

    def forward(self, x):
        return F.relu(x + self.f(x))


class Inverted(nn.Module):
    """expand, depthwise, project, around a skip (as in MobileNet V2)"""

    def __init__(self, width: int, expand: int):
        super().__init__()
        wide = width * expand
        self.f = nn.Sequential(conv(width, wide, 1), conv(wide, wide, 3, groups=wide), conv(wide, width, 1, act=False))

    def forward(self, x):
        return x + self.f(x)


class Output(nn.Module):
    """a stage's output, in the teacher's normalised channels"""

    def __init__(self, i: int, o: int):
        super().__init__()
        self.c = nn.Conv2d(i, o, 1)

    def forward(self, x):
        return self.c(x)


class Tail(nn.Module):
    def __init__(self, w2: int = 112, n2: int = 2, w3: int = 160, n3: int = 2, e3: int = 4):
        super().__init__()
        self.s16 = nn.Sequential(conv(WIDTH8, w2, stride=2), *[Residual(w2) for _ in range(n2)], Output(w2, WIDTH16))
        self.s32 = nn.Sequential(conv(WIDTH16, w3, stride=2), *[Inverted(w3, e3) for _ in range(n3)], Output(w3, WIDTH32))
        self.last = nn.Sequential(nn.Conv2d(WIDTH32, FEATURES, 1, bias=False), nn.BatchNorm2d(FEATURES), nn.ReLU6())


def fed(mine, theirs, own: float):
    """what the next stage sees: the student's own map for that share of the samples, the teacher's for the rest"""
    if theirs is None or own >= 1:
        return mine
    pick = torch.rand(len(mine), 1, 1, 1, device=mine.device) < own
    return torch.where(pick, mine, theirs.to(mine.dtype))


class Student(nn.Module):
    """image [n,3,s,s] in 0..1, s a multiple of 32. w1, w8, n8: the stem; the rest goes to each Tail."""

    def __init__(self, w1: int = 64, w8: int = 96, n8: int = 2, **tail):
        super().__init__()
        self.first = conv(48, w1)
        self.s8 = nn.Sequential(conv(w1, w8, stride=2), *[Residual(w8) for _ in range(n8)], Output(w8, WIDTH8))
        self.tails = nn.ModuleList(Tail(**tail) for _ in LISTS)

    def stem(self, image):
        n, c, h, w = image.shape
        x = ((image - 0.5) / 0.5).reshape(n, c, h // 4, 4, w // 4, 4)  # space to depth, 4x4
        x = x.permute(0, 1, 3, 5, 2, 4).reshape(n, c * 16, h // 4, w // 4)
        return self.s8(self.first(x.contiguous(memory_format=torch.channels_last)))

    def forward(self, image, taught=None, own: float = 1.0):
        """taught: the teachers' normalised cuts ([n,96,..], 3 x [n,96,..], 3 x [n,320,..]); own: the share of samples whose
        stages are fed the student's own maps instead. Returns the student's cuts in that form, and 3 x [n,1280]."""
        y8 = self.stem(image)
        x8 = fed(y8, taught and taught[0], own)
        parts = [self.tail(j, x8, taught and (taught[1][j], taught[2][j]), own) for j in range(len(self.tails))]
        return (y8, *map(list, zip(*parts)))

    def tail(self, j: int, x8, taught=None, own: float = 1.0):
        """list j's cuts [n,96,..] and [n,320,..], and its features [n,1280], from the stem's map"""
        tail = self.tails[j]
        y16 = tail.s16(x8)
        y32 = tail.s32(fed(y16, taught and taught[0], own))
        return y16, y32, tail.last(fed(y32, taught and taught[1], own)).mean((2, 3))

    def features(self, image) -> list[torch.Tensor]:
        """three pooled feature vectors [n,1280]"""
        return self.forward(image)[3]


def load(path: str) -> tuple[Student, dict]:
    """The averaged weights of a snapshot, ready to use, and the snapshot itself."""
    snap = torch.load(path, map_location="cpu")
    net = Student(**eval_arch(snap["args"].get("arch", "{}")))
    net.load_state_dict({k: v.float() if v.is_floating_point() else v for k, v in snap["ema"].items()})
    return net.eval().to(memory_format=torch.channels_last), snap


def eval_arch(text: str) -> dict:
    """'w1=128,n8=3' or '' -> keyword arguments of Student; also the form dict(...) or {} that older snapshots hold"""
    inner = text.strip().removeprefix("dict").strip("(){} ")
    return {k.strip(): int(v) for k, v in (part.split("=") for part in inner.split(",") if part.strip())}
