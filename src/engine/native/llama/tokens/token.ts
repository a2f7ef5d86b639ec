/** A token's number in its model's vocabulary. */
export type Token = number;

/** The index of a token in the latest batch. llama.cpp keeps the logits after it until the next forward pass. */
export type LogitsPlace = number;
