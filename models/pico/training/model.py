"""The model: a Llama that uses its embedding as its output layer too."""

import json
import math
import os
import struct

import numpy as np
import torch
import torch.nn.functional as F

from functions import Attention, Linear, RmsNorm, SwiGlu

FREQUENCY_BASE = 10000.0


class Pico(torch.nn.Module):
    """`config` has the sizes. `kind` is the type of the inputs of matrix products."""

    def __init__(self, config, kind):
        super().__init__()
        self.config, self.kind = config, kind
        self.parameters_by_name = {name: torch.nn.Parameter(first_values(name, shape))
                                   for name, shape in shapes(config).items()}
        for name, parameter in self.parameters_by_name.items():
            self.register_parameter(name.replace(".", "_"), parameter)

    def forward(self, tokens, documents, positions, wanted):
        """The logits of the tokens after the `wanted` ones (flat indices)."""
        rows, length = tokens.shape
        weights = self.parameters_by_name
        width, heads = self.config["width"], self.config["heads"]
        size = width // heads
        bias = attention_bias(documents)
        turn = rotation(positions, size)
        x = F.embedding(tokens, weights["token_embd.weight"]).view(-1, width)
        for layer in range(self.config["layers"]):
            part = lambda name: weights[f"blk.{layer}.{name}"]
            normal = RmsNorm.apply(x, part("attn_norm.weight"), self.kind)
            qkv = Linear.apply(normal, part("attn_qkv.weight")).view(rows, length, 3, heads, size)
            mixed = Attention.apply(qkv, turn, bias, self.kind)
            x = x + Linear.apply(mixed, part("attn_output.weight"))
            normal = RmsNorm.apply(x, part("ffn_norm.weight"), self.kind)
            inner = SwiGlu.apply(Linear.apply(normal, part("ffn_gate_up.weight")), self.kind)
            x = x + Linear.apply(inner, part("ffn_down.weight"))
        x = RmsNorm.apply(x[wanted], weights["output_norm.weight"], self.kind)
        return Linear.apply(x, weights["token_embd.weight"])


def shapes(config):
    """The shapes of the parameters by their GGUF names. Matrices that multiply the same input are kept as one."""
    width, hidden = config["width"], config["hidden"]
    block = {
        "attn_norm.weight": (width,),
        "attn_qkv.weight": (3 * width, width),
        "attn_output.weight": (width, width),
        "ffn_norm.weight": (width,),
        "ffn_gate_up.weight": (2 * hidden, width),
        "ffn_down.weight": (width, hidden),
    }
    blocks = {f"blk.{layer}.{name}": shape for layer in range(config["layers"]) for name, shape in block.items()}
    return {"token_embd.weight": (config["vocabulary"], width), "output_norm.weight": (width,), **blocks}


def first_values(name, shape):
    if name.endswith("norm.weight"):
        return torch.ones(shape)
    if name.endswith(("attn_output.weight", "ffn_down.weight")):
        # So that the residual stream begins as the embedding alone.
        return torch.zeros(shape)
    return torch.randn(shape) * (0.05 if name == "token_embd.weight" else shape[1] ** -0.5)


def attention_bias(documents):
    """0 for the earlier tokens of the same conversation, and a large negative number for all others."""
    length = documents.shape[1]
    same = documents[:, :, None] == documents[:, None, :]
    allowed = same & torch.ones(length, length, dtype=torch.bool).tril()
    return torch.zeros(allowed.shape).masked_fill_(~allowed, -1e9)[:, None]


def rotation(positions, size):
    """The rotation of each pair of dimensions at each position, as a complex number."""
    frequencies = FREQUENCY_BASE ** (-torch.arange(0, size, 2).float() / size)
    angles = positions[:, :, None, None, None].float() * frequencies
    return torch.polar(torch.ones_like(angles), angles)


def save(path, model):
    """Writes weights as weights.ts reads them: the length of a JSON header, the header, then float32 in the header's order."""
    header = {"config": model.config, "tensors": [
        {"name": name, "shape": list(model.parameters_by_name[name].shape)} for name in model.parameters_by_name]}
    text = json.dumps(header).encode()
    with open(path + ".part", "wb") as file:
        file.write(struct.pack("<I", len(text)) + text)
        for name in model.parameters_by_name:
            file.write(model.parameters_by_name[name].detach().numpy().astype("<f4").tobytes())
    os.replace(path + ".part", path)


def load(path, model):
    with open(path, "rb") as file:
        (length,) = struct.unpack("<I", file.read(4))
        for tensor in json.loads(file.read(length))["tensors"]:
            count = math.prod(tensor["shape"])
            values = np.frombuffer(file.read(4 * count), dtype="<f4").reshape(tensor["shape"])
            model.parameters_by_name[tensor["name"]].data.copy_(torch.from_numpy(values.copy()))
