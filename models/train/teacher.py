"""The frozen teachers: three MobileNet V2 classifiers, read from their 8-bit ONNX files into torch modules.

M. Sandler et al., "MobileNetV2: Inverted Residuals and Linear Bottlenecks" (CVPR 2018); published by Google's Coral project.
"""
import torch
import torch.nn as nn
import torch.nn.functional as F

LISTS = ("bird", "insect", "imagenet")
CLASSES = (965, 1022, 1001)
OFFSET = (0, 965, 1987)            # row of a list's first class in the three lists laid end to end
BACKGROUND = (964, 1021, 0)        # "none of them", by list
CUTS = (("t20", 32), ("t46", 96), ("t60", 320))  # graph tensors at strides 8, 16, 32, and their channels


class Teacher(nn.Module):
    """image [n,3,s,s] in 0..1 -> the three cuts [n,c,s/stride,s/stride] and the pooled features [n,1280]; `fc` makes logits."""

    def __init__(self, path: str):
        super().__init__()
        import onnx
        from onnx import numpy_helper
        graph = onnx.load(path).graph
        self.constants = {i.name: numpy_helper.to_array(i) for i in graph.initializer}
        self.steps, self.convs, self.weights = [], nn.ModuleList(), {}
        for node in graph.node:
            self._add(node)
        del self.constants, self.weights
        self.requires_grad_(False)

    def _add(self, node) -> None:
        from onnx import helper
        attr = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        if node.op_type == "DequantizeLinear":
            self.weights[node.output[0]] = self._widen(node, attr.get("axis", 1))
        elif node.op_type == "Gemm":
            weight, bias = self._read(node)
            weight = weight if attr.get("transB", 0) else weight.T
            self.fc = nn.Linear(weight.shape[1], weight.shape[0])
            self.fc.weight.data, self.fc.bias.data = weight.contiguous(), bias
        elif node.op_type == "Conv":
            weight, bias = self._read(node)
            groups, (top, left, bottom, right) = attr.get("group", 1), attr.get("pads", [0] * 4)
            even = top == bottom
            conv = nn.Conv2d(weight.shape[1] * groups, weight.shape[0], weight.shape[2], attr.get("strides", [1])[0],
                             top if even else 0, groups=groups)
            conv.weight.data, conv.bias.data = weight, bias
            conv.extra = None if even else (left, right, top, bottom)
            self.steps.append(("conv", len(self.convs), node.input[0], node.output[0]))
            self.convs.append(conv)
        elif node.op_type in ("Clip", "Add"):
            self.steps.append((node.op_type, node.input[1], node.input[0], node.output[0]))
        elif node.op_type == "GlobalAveragePool":
            self.last = node.input[0]

    def _widen(self, node, axis: int) -> torch.Tensor:
        q, scale, zero = (self.constants[name] for name in node.input)
        if scale.ndim == 1 and scale.size > 1:
            shape = [1] * q.ndim
            shape[axis] = -1
            scale, zero = scale.reshape(shape), zero.reshape(shape)
        return torch.tensor((q.astype("f4") - zero.astype("f4")) * scale)

    def _read(self, node) -> tuple[torch.Tensor, torch.Tensor]:
        bias = self.weights.get(node.input[2])
        return self.weights[node.input[1]], torch.tensor(self.constants[node.input[2]].copy()) if bias is None else bias

    def forward(self, image):
        value = {"image": (image * 255 - 128) / 128}
        for kind, other, source, target in self.steps:
            x = value[source]
            if kind == "conv":
                conv = self.convs[other]
                value[target] = conv(F.pad(x, conv.extra) if conv.extra else x)
            elif kind == "Clip":
                value[target] = F.hardtanh_(x, 0.0, 6.0)
            else:
                value[target] = x + value[other]
        return tuple(value[name] for name, _ in CUTS) + (value[self.last].mean((2, 3)),)
