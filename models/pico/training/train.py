"""Trains pico. It reads the corpus that make-corpus.ts wrote, and writes weights that export.ts turns into a GGUF.

    python3 models/pico/training/train.py [--steps 8000] [--warm FILE]

Matrix products run in bfloat16: processors with AMX multiply it seven times as fast as float32. For processors without
bfloat16 there is --float32. Everything else, the optimizers included, is float32.
"""

import argparse
import json
import os
import time

import numpy as np
import torch
import torch.nn.functional as F

from corpus import Corpus
from functions import EPSILON
from model import FREQUENCY_BASE, Pico, load, save
from muon import Muon

SHAPE = {"width": 256, "hidden": 704, "layers": 5, "heads": 4, "frequencyBase": FREQUENCY_BASE, "epsilon": EPSILON}
# The number of matrices that are kept in one.
PARTS = {"attn_qkv": 3, "ffn_gate_up": 2}
# AdamW trains the embedding and the vectors, at this share of the rate that Muon uses for the matrices.
ADAM_RATE_SHARE = 0.15
# In the first part of a training from nothing, the messages of users and tools are predicted too, with a lower weight.
# They repeat names and values, and from that pico learns to look things up.
OTHERS_WEIGHT = 0.2
OTHERS_SHARE = 0.12
STEPS_A_LINE = 50
STEPS_A_CHECK = 500
VALIDATION_BATCHES = 24


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", default=".cache/pico", help="where the corpus is and the weights go")
    parser.add_argument("--steps", type=int, default=8000)
    parser.add_argument("--rate", type=float, default=0.012, help="the highest learning rate")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--float32", action="store_true", help="no bfloat16")
    parser.add_argument("--warm", help="weights to begin with; only the tokens that pico writes are then predicted")
    return parser.parse_args()


def make_model(options):
    with open(os.path.join(options.folder, "vocabulary.json")) as file:
        vocabulary = len(json.load(file)["tokens"])
    model = Pico({**SHAPE, "vocabulary": vocabulary}, torch.float32 if options.float32 else torch.bfloat16)
    if options.warm:
        load(options.warm, model)
    return model


def make_optimizers(model):
    embedding = model.parameters_by_name["token_embd.weight"]
    matrices = [{"params": [parameter], "parts": PARTS.get(name.split(".")[-2], 1)}
                for name, parameter in model.parameters_by_name.items()
                if parameter.dim() == 2 and parameter is not embedding]
    vectors = [parameter for parameter in model.parameters() if parameter.dim() == 1]
    adam = torch.optim.AdamW([embedding, *vectors], betas=(0.9, 0.95), weight_decay=0)
    return Muon(matrices, {"lr": 0}), adam


def learning_rate(progress, highest):
    """Rises to `highest` within the first 2% of the steps, then falls to 0."""
    return highest * min(progress / 0.02, (1 - progress) / 0.98)


def take_step(model, muon, adam, batch, rate):
    """Takes one optimizer step. Returns the mean loss of the tokens that pico writes."""
    for optimizer, share in ((muon, 1), (adam, ADAM_RATE_SHARE)):
        for group in optimizer.param_groups:
            group["lr"] = rate * share
    inputs, targets, weights = batch
    losses = F.cross_entropy(model(*inputs), targets, reduction="none")
    model.zero_grad(set_to_none=True)
    ((losses * weights).sum() / weights.sum()).backward()
    muon.step()
    adam.step()
    return losses.detach()[weights >= 1].mean().item()


def validate(model, corpus, batches):
    """The mean loss of the tokens that pico writes, and the share of them that it predicts rightly."""
    total = count = right = 0
    with torch.no_grad():
        for batch in batches:
            inputs, targets, weights = corpus.load(batch)
            logits, own = model(*inputs), weights > 0
            total += F.cross_entropy(logits[own], targets[own], reduction="sum").item()
            right += (logits.argmax(-1) == targets)[own].sum().item()
            count += own.sum().item()
    return total / count, right / count


def train(options):
    model = make_model(options)
    print(f"{sum(parameter.numel() for parameter in model.parameters()):,} parameters", flush=True)
    muon, adam = make_optimizers(model)
    validation = Corpus(options.folder, "validation", 0)
    checks = validation.epoch()[:VALIDATION_BATCHES]
    corpus = Corpus(options.folder, "train", options.seed)
    start, losses = time.time(), []
    for step, batch in zip(range(1, options.steps + 1), corpus.batches()):
        progress = (step - 1) / options.steps
        others = OTHERS_WEIGHT if progress < OTHERS_SHARE and not options.warm else 0
        rate = learning_rate(progress, options.rate)
        losses.append(take_step(model, muon, adam, corpus.load(batch, others), rate))
        if step % STEPS_A_LINE == 0:
            mean = np.mean(losses[-STEPS_A_LINE:])
            print(f"step {step}, {time.time() - start:.0f} s, loss {mean:.4f}, rate {rate:.2e}", flush=True)
        if step % STEPS_A_CHECK == 0 or step == options.steps:
            loss, right = validate(model, validation, checks)
            print(f"step {step}: validation loss {loss:.4f}, {right:.2%} of the tokens right", flush=True)
            save(os.path.join(options.folder, "pico.weights"), model)


if __name__ == "__main__":
    settings = parse_options()
    torch.manual_seed(settings.seed)
    torch.set_num_threads(settings.threads)
    train(settings)
