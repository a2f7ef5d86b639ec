"""Trains pico: reads the corpus that make-corpus.ts wrote and writes the weights that export.ts turns into a GGUF.

    python3 models/pico/train.py --steps 6000 [--resume] [--seconds 3000]

The model is Llama's architecture. Matrix products run in bfloat16 where the processor multiplies it in hardware
(AMX: seven times float32's rate); everything else, the optimizer included, is float32.
"""

import argparse
import json
import math
import os
import struct
import time

import numpy as np
import torch
import torch.nn.functional as F

LOSS_BIT = 0x8000
EPSILON = 1e-6
FREQUENCY_BASE = 10000.0
# Tokens of a batch, whatever the length of its rows.
BATCH_TOKENS = 4096
ROW_LENGTHS = (256, 512, 1024)
# Tokens of a batch that are predicted: pico's own, and of the others as many as fit, at a lower weight.
PREDICTED_TOKENS = 2048
OTHERS_WEIGHT = 0.2
# The first tokens of a reply count more.
BEGINNING = 4
BEGINNING_WEIGHT = 3
# Matrices that are several in one.
PARTS = {"attn_qkv": 3, "ffn_gate_up": 2}
MOMENTUM = 0.95
WEIGHT_DECAY = 0.05
EMBEDDING_RATE_SHARE = 0.15


class Linear(torch.autograd.Function):
    """x @ weight.T, multiplied in x's type, in float32 afterwards."""

    @staticmethod
    def forward(ctx, x, weight):
        weight = weight.to(x.dtype)
        ctx.save_for_backward(x, weight)
        return (x @ weight.t()).float()

    @staticmethod
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        grad = grad.to(x.dtype)
        return grad @ weight, (grad.t() @ x).float()


class RmsNorm(torch.autograd.Function):
    """x over the root of its mean square, times a weight, as `kind`."""

    @staticmethod
    def forward(ctx, x, weight, kind):
        scale = torch.linalg.vector_norm(x, dim=-1, keepdim=True).pow_(2).div_(x.shape[-1]).add_(EPSILON).rsqrt_()
        normal = x * scale
        ctx.save_for_backward(normal, scale, weight)
        return (normal * weight).to(kind)

    @staticmethod
    def backward(ctx, grad):
        normal, scale, weight = ctx.saved_tensors
        grad = grad.float()
        own = grad * normal
        inner = grad * weight
        share = (own @ weight[:, None]).div_(normal.shape[-1])
        return inner.addcmul_(normal, share, value=-1).mul_(scale), own.sum(0), None


class SwiGlu(torch.autograd.Function):
    """silu(gate) * up, as `kind`."""

    @staticmethod
    def forward(ctx, gate_up, kind):
        gate, up = gate_up.chunk(2, -1)
        chance = torch.sigmoid(gate)
        silu = gate * chance
        ctx.save_for_backward(up, chance, silu)
        return (silu * up).to(kind)

    @staticmethod
    def backward(ctx, grad):
        up, chance, silu = ctx.saved_tensors
        grad = grad.float()
        out = torch.empty(*grad.shape[:-1], 2 * grad.shape[-1])
        to_gate, to_up = out.chunk(2, -1)
        torch.mul(grad, silu, out=to_up)
        # The slope of silu: chance + silu * (1 - chance).
        torch.addcmul(chance + silu, silu, chance, value=-1, out=to_gate)
        to_gate.mul_(up).mul_(grad)
        return out, None


class Attention(torch.autograd.Function):
    """Softmax attention within `bias`; `qkv`: (rows, length, 3, heads, size), of which query and key are turned."""

    @staticmethod
    def forward(ctx, qkv, turn, bias, kind):
        rows, length, _, heads, size = qkv.shape
        query_key = rotate(qkv[:, :, :2], turn)
        query_key[:, :, 0].mul_(size**-0.5)
        parts = (query_key[:, :, 0], query_key[:, :, 1], qkv[:, :, 2])
        query, key, value = (
            part.transpose(1, 2).to(kind, memory_format=torch.contiguous_format).reshape(-1, length, size)
            for part in parts)
        scores = torch.bmm(query, key.transpose(1, 2)).float()
        scores.view(rows, heads, length, length).add_(bias)
        chances = torch.softmax(scores, -1)
        low = chances.to(kind)
        ctx.save_for_backward(query, key, value, chances, low, turn)
        ctx.shape = qkv.shape
        return torch.bmm(low, value).view(rows, heads, length, size).transpose(1, 2).reshape(-1, heads * size)

    @staticmethod
    def backward(ctx, grad):
        query, key, value, chances, low, turn = ctx.saved_tensors
        rows, length, _, heads, size = ctx.shape
        grad = grad.view(rows, length, heads, size).transpose(1, 2).reshape(-1, length, size)
        to_value = torch.bmm(low.transpose(1, 2), grad)
        to_chances = torch.bmm(grad, value.transpose(1, 2)).float()
        to_scores = torch._softmax_backward_data(to_chances, chances, -1, torch.float32).to(low.dtype)
        out = torch.empty(ctx.shape)
        sides = (torch.bmm(to_scores, key), torch.bmm(to_scores.transpose(1, 2), query), to_value)
        for index, side in enumerate(sides):
            out[:, :, index] = side.view(rows, heads, length, size).transpose(1, 2)
        out[:, :, 0] *= size**-0.5
        out[:, :, :2] = rotate(out[:, :, :2], turn.conj())
        return out, None, None, None


class Pico(torch.nn.Module):
    def __init__(self, config, kind):
        super().__init__()
        self.config, self.kind = config, kind
        width, hidden, layers = config["width"], config["hidden"], config["layers"]
        self.heads = config["heads"]
        shapes = {"token_embd.weight": (config["vocabulary"], width), "output_norm.weight": (width,)}
        for layer in range(layers):
            shapes.update({
                f"blk.{layer}.attn_norm.weight": (width,),
                f"blk.{layer}.attn_qkv.weight": (3 * width, width),
                f"blk.{layer}.attn_output.weight": (width, width),
                f"blk.{layer}.ffn_norm.weight": (width,),
                f"blk.{layer}.ffn_gate_up.weight": (2 * hidden, width),
                f"blk.{layer}.ffn_down.weight": (width, hidden),
            })
        self.names = list(shapes)
        self.parameters_by_name = {}
        for name, shape in shapes.items():
            if name.endswith("norm.weight"):
                value = torch.ones(shape)
            elif name.endswith(("attn_output.weight", "ffn_down.weight")):
                # The residual stream begins as the embedding alone.
                value = torch.zeros(shape)
            else:
                value = torch.randn(shape) * (0.05 if name == "token_embd.weight" else width**-0.5)
            parameter = torch.nn.Parameter(value)
            self.register_parameter(name.replace(".", "_"), parameter)
            self.parameters_by_name[name] = parameter

    def forward(self, tokens, documents, positions, wanted):
        """The logits of the tokens after the `wanted` ones (flat indices)."""
        rows, length = tokens.shape
        weights = self.parameters_by_name
        width, heads = self.config["width"], self.heads
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


def attention_bias(documents):
    """0 where a token may look: back, and within its own conversation."""
    length = documents.shape[1]
    same = documents[:, :, None] == documents[:, None, :]
    allowed = same & torch.ones(length, length, dtype=torch.bool).tril()
    return torch.zeros(allowed.shape).masked_fill_(~allowed, -1e9)[:, None]


def rotation(positions, size):
    """The turn of each pair of dimensions at each position, as a complex number."""
    frequencies = FREQUENCY_BASE ** (-torch.arange(0, size, 2).float() / size)
    angles = positions[:, :, None, None, None].float() * frequencies
    return torch.polar(torch.ones_like(angles), angles)


def rotate(x, turn):
    """Llama's rotary embedding: pairs are neighbours."""
    pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(pairs * turn).flatten(-2)


class Muon(torch.optim.Optimizer):
    """Momentum whose steps are made orthogonal (K. Jordan, 2024). `parts` of a matrix are matrices of their own."""

    def step(self):
        for group in self.param_groups:
            for parameter in group["params"]:
                state = self.state[parameter]
                if not state:
                    state["momentum"] = torch.zeros_like(parameter)
                momentum = state["momentum"].mul_(MOMENTUM).add_(parameter.grad)
                step = parameter.grad.add(momentum, alpha=MOMENTUM)
                rows, columns = step.shape
                parts = group["parts"]
                step = orthogonal(step.view(parts, -1, columns)).reshape(rows, columns)
                scale = max(1, rows / parts / columns) ** 0.5
                parameter.data.mul_(1 - group["lr"] * WEIGHT_DECAY).add_(step, alpha=-group["lr"] * scale)


def orthogonal(matrices):
    """Nearly the orthogonal matrix nearest to each one, by Newton-Schulz steps."""
    tall = matrices.shape[1] > matrices.shape[2]
    x = matrices.transpose(1, 2) if tall else matrices
    x = (x / (x.norm(dim=(1, 2), keepdim=True) + 1e-7)).bfloat16().contiguous()
    for _ in range(5):
        square = torch.bmm(x, x.transpose(1, 2))
        x = 3.4445 * x + torch.bmm(-4.775 * square + 2.0315 * torch.bmm(square, square), x)
    return (x.transpose(1, 2) if tall else x).float()


class Corpus:
    """Conversations packed into rows: each row length has its rows, and a batch has rows of one length."""

    def __init__(self, folder, name, seed):
        self.tokens = np.fromfile(os.path.join(folder, f"{name}.tokens"), dtype="<u2")
        lengths = np.fromfile(os.path.join(folder, f"{name}.lengths"), dtype="<u4").astype(np.int64)
        self.starts = np.concatenate(([0], np.cumsum(lengths)))[:-1]
        self.lengths = lengths
        self.random = np.random.default_rng(seed)

    def epoch(self):
        """All conversations once, in batches of random order."""
        batches = []
        shorter = 0
        for length in ROW_LENGTHS:
            mine = np.flatnonzero((self.lengths > shorter) & (self.lengths <= length + 1))
            shorter = length + 1
            self.random.shuffle(mine)
            rows = pack(mine, self.lengths, length + 1)
            self.random.shuffle(rows)
            count = BATCH_TOKENS // length
            batches += [(length, rows[at:at + count]) for at in range(0, len(rows) - count + 1, count)]
        self.random.shuffle(batches)
        return batches

    def load(self, batch, others_weight=0):
        length, rows = batch
        tokens = np.zeros((len(rows), length + 1), dtype=np.int64)
        documents = np.zeros((len(rows), length + 1), dtype=np.int64)
        positions = np.zeros((len(rows), length + 1), dtype=np.int64)
        for index, row in enumerate(rows):
            at = 0
            for number, conversation in enumerate(row):
                start, size = self.starts[conversation], self.lengths[conversation]
                tokens[index, at:at + size] = self.tokens[start:start + size]
                documents[index, at:at + size] = number + 1
                positions[index, at:at + size] = np.arange(size)
                at += size
        counted = (tokens & LOSS_BIT) != 0
        tokens &= LOSS_BIT - 1
        tokens, documents, positions = (torch.from_numpy(array) for array in (tokens, documents, positions))
        counted, real = counted[:, 1:].reshape(-1), documents[:, 1:].reshape(-1) > 0
        own, others = np.flatnonzero(counted), np.flatnonzero(real.numpy() & ~counted)
        self.random.shuffle(own)
        self.random.shuffle(others)
        wanted = np.concatenate((own, others))[:PREDICTED_TOKENS]
        wanted = torch.from_numpy(np.pad(wanted, (0, PREDICTED_TOKENS - len(wanted))))
        weights = torch.zeros(PREDICTED_TOKENS)
        weights[:len(own) + len(others)] = others_weight
        weights[:len(own)] = torch.from_numpy(np.where(beginning(counted)[own[:PREDICTED_TOKENS]], BEGINNING_WEIGHT, 1))
        targets = tokens[:, 1:].reshape(-1)[wanted]
        return (tokens[:, :-1], documents[:, :-1], positions[:, :-1], wanted), targets, weights


def beginning(counted):
    """Whether a token is one of the first of a reply, which decide what the reply is."""
    marks = np.zeros(counted.shape, dtype=bool)
    for distance in range(1, BEGINNING + 1):
        marks[distance:] |= ~counted[:-distance]
    return marks & counted


def pack(order, lengths, room, window=64):
    """Puts conversations into rows, each into the fullest open row that has room for it."""
    rows, open_rows = [], []
    for conversation in order:
        size = lengths[conversation]
        best = None
        for row in open_rows:
            if row[0] >= size and (best is None or row[0] < best[0]):
                best = row
        if best is None:
            best = [room, []]
            rows.append(best)
            open_rows.append(best)
            if len(open_rows) > window:
                open_rows.remove(min(open_rows, key=lambda row: row[0]))
        best[0] -= size
        best[1].append(conversation)
    return [row[1] for row in rows]


def learning_rate(progress, peak):
    """Up within the first 2%, level to the half, down to nothing."""
    return peak * min(progress / 0.02, 1, (1 - progress) / 0.8)


def save(path, model):
    """Weights as export.ts reads them: the length of a JSON header, the header, then float32 in the header's order."""
    header = {"config": model.config, "tensors": [
        {"name": name, "shape": list(model.parameters_by_name[name].shape)} for name in model.names]}
    text = json.dumps(header).encode()
    with open(path + ".part", "wb") as file:
        file.write(struct.pack("<I", len(text)) + text)
        for name in model.names:
            file.write(model.parameters_by_name[name].detach().numpy().astype("<f4").tobytes())
    os.replace(path + ".part", path)


def load(path, model):
    with open(path, "rb") as file:
        (length,) = struct.unpack("<I", file.read(4))
        for tensor in json.loads(file.read(length))["tensors"]:
            count = math.prod(tensor["shape"])
            values = np.frombuffer(file.read(4 * count), dtype="<f4").reshape(tensor["shape"])
            model.parameters_by_name[tensor["name"]].data.copy_(torch.from_numpy(values.copy()))


def validate(model, corpus, batches):
    total = count = right = 0
    with torch.no_grad():
        for batch in batches:
            inputs, targets, weights = corpus.load(batch)
            logits, own = model(*inputs), weights > 0
            total += F.cross_entropy(logits[own], targets[own], reduction="sum").item()
            right += (logits.argmax(-1) == targets)[own].sum().item()
            count += own.sum().item()
    return total / count, right / count


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", default=".cache/pico")
    parser.add_argument("--corpus", default="train", help="names, comma-separated: one after the other, over and over")
    parser.add_argument("--steps", type=int, default=6000)
    parser.add_argument("--rate", type=float, default=0.02)
    parser.add_argument("--layers", type=int, default=5)
    parser.add_argument("--hidden", type=int, default=704)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--float32", action="store_true", help="for processors without bfloat16 products")
    parser.add_argument("--others", type=float, default=OTHERS_WEIGHT)
    parser.add_argument("--warm", help="weights to begin with")
    parser.add_argument("--name", default="pico")
    options = parser.parse_args()

    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)
    with open(os.path.join(options.folder, "vocabulary.json")) as file:
        size = len(json.load(file)["tokens"])
    config = {"width": 256, "hidden": options.hidden, "layers": options.layers, "heads": 4, "vocabulary": size,
              "frequencyBase": FREQUENCY_BASE, "epsilon": EPSILON}
    model = Pico(config, torch.float32 if options.float32 else torch.bfloat16)
    if options.warm:
        load(options.warm, model)
    print(f"{sum(p.numel() for p in model.parameters()):,} parameters", flush=True)

    embedding = model.parameters_by_name["token_embd.weight"]
    matrices = [{"params": [p], "parts": PARTS.get(name.split(".")[-2], 1)}
                for name, p in model.parameters_by_name.items() if p.dim() == 2 and p is not embedding]
    vectors = [p for p in model.parameters() if p.dim() == 1]
    muon = Muon(matrices, {"lr": 0})
    adam = torch.optim.AdamW([embedding, *vectors], betas=(0.9, 0.95), weight_decay=0)
    validation = Corpus(options.folder, "validation", 0)
    held_out = validation.epoch()[:24]
    corpora = [Corpus(options.folder, name, options.seed) for name in options.corpus.split(",")]
    out = os.path.join(options.folder, f"{options.name}.weights")
    start, step, losses, tokens = time.time(), 0, [], 0
    while step < options.steps:
        corpus = corpora[0]
        corpora = corpora[1:] + [corpus]
        for batch in corpus.epoch():
            rate = learning_rate(step / options.steps, options.rate)
            for group in muon.param_groups:
                group["lr"] = rate
            for group in adam.param_groups:
                group["lr"] = rate * EMBEDDING_RATE_SHARE
            inputs, targets, weights = corpus.load(batch, options.others)
            each = F.cross_entropy(model(*inputs), targets, reduction="none")
            model.zero_grad(set_to_none=True)
            ((each * weights).sum() / weights.sum()).backward()
            muon.step()
            adam.step()
            losses.append(each.detach()[weights >= 1].mean().item())
            tokens += (inputs[1] > 0).sum().item()
            step += 1
            if step % 50 == 0:
                print(f"step {step} loss {np.mean(losses[-50:]):.4f} rate {rate:.2e} "
                      f"tokens {tokens / 1e6:.1f}M {time.time() - start:.0f}s", flush=True)
            if step % 500 == 0 or step == options.steps:
                loss, right = validate(model, validation, held_out)
                print(f"step {step} validation loss {loss:.4f}, {right:.2%} of tokens right", flush=True)
                save(out, model)
            if step == options.steps:
                break


if __name__ == "__main__":
    main()
