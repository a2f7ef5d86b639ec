export const STARTER_KINDS = ['chat', 'coding', 'vision', 'speech', 'embedding', 'rerank', 'decision'] as const;

/** The task that a starter model is for. */
export type StarterKind = (typeof STARTER_KINDS)[number];

/** A model that Paddock names to users who do not know one. Its files are on the hub. */
export interface Starter {
  /** As users of Ollama type it. */
  name: string;
  /** Other names of it. */
  also?: string[];
  /** The model's own name. */
  title: string;
  kind: StarterKind;
  /** Completes the sentence "It is good at ...". */
  goodAt: string;
  licence: string;
  /** The hub's repository, as `org/repo`. */
  repository: string;
  /** The quantization that a pull by the name alone gets. A name with another one gets that: `qwen3:4b-q8_0`. */
  quantization: string;
  /** The size of the model's file in bytes, without the projector. */
  size: number;
  /** False if the size is approximate. Absent if it is exact. */
  exact?: false;
  /** The size of the projector that is pulled with the model, in bytes. Absent if the model takes text only. */
  projectorSize?: number;
  /** The share of the weights that the model reads for each token. Absent if it reads all. */
  activeShare?: number;
}
