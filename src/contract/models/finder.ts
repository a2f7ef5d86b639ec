/** A repository on a hub that has models in GGUF. */
export interface FoundRepository {
  /** `org/name`. */
  repo: string;
  /** As the hub counts them, which is of the last month. */
  downloads: number;
  likes: number;
  /** True if only accounts that have accepted its terms get its files. */
  gated: boolean;
}

/** One model of a repository: its files in one quantization. */
export interface Variant {
  /** What pulls it. */
  source: string;
  /** In capitals, as in `Q4_K_M`; null if the file's name does not tell it. */
  quantization: string | null;
  /** All its files, in bytes. */
  size: number;
  /** True if a file for images or audio is among them. */
  projector: boolean;
}

/** What there is to pull at a source. */
export interface Offer {
  /** `org/name`, or the host of a file elsewhere. */
  origin: string;
  /** The smallest first. */
  variants: Variant[];
  /** The `source` of the variant that the source names, or else that a pull prefers; null if it is not clear. */
  named: string | null;
}

/** Finds models that can be pulled. Each call throws an `ApiError` with what the client can do about it. */
export interface Finder {
  /** The repositories with these words in their names, the most downloaded first. */
  search(words: string, limit: number, signal: AbortSignal): Promise<FoundRepository[]>;
  /** Lists what a source has; see `Puller.pull`. */
  offer(source: string, signal: AbortSignal): Promise<Offer>;
}
