/** An address in the memory of llama.cpp. */
export type Pointer = bigint;
