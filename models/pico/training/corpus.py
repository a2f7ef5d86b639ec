"""Reads the token ids that make-corpus.ts wrote, and packs them into batches."""

import os

import numpy as np
import torch

LOSS_BIT = 0x8000
# A batch has this many tokens. Longer rows mean fewer of them.
BATCH_TOKENS = 4096
ROW_LENGTHS = (256, 512, 1024)
# The number of predicted tokens in a batch: those that pico writes, and others as far as there is room. The number is
# fixed, because matrix products are compiled anew for each shape.
PREDICTED_TOKENS = 2048
# The first tokens of a reply get a higher weight, because they decide what the reply says.
BEGINNING = 4
BEGINNING_WEIGHT = 3


class Corpus:
    """Conversations packed into rows of a few fixed lengths. All rows of a batch have the same length."""

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

    def batches(self):
        """Endless batches, one epoch after the other."""
        while True:
            yield from self.epoch()

    def load(self, batch, others_weight=0):
        """The inputs of the model for a batch, the tokens to predict, and their weights. Padding has the weight 0."""
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
    """True for the first tokens of a reply."""
    marks = np.zeros(counted.shape, dtype=bool)
    for distance in range(1, BEGINNING + 1):
        marks[distance:] |= ~counted[:-distance]
    return marks & counted


def pack(order, lengths, room, window=64):
    """Puts each conversation into the fullest open row that has room for it. Returns the rows."""
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
