/** A repository on a hub that has models in GGUF. */
export interface FoundRepository {
  /** `org/name`. */
  repo: string;
  /** The downloads of the last month, as the hub counts them. */
  downloads: number;
  likes: number;
  /** True if only accounts that have accepted its terms get its files. */
  gated: boolean;
}

/** One model of a repository: its files in one quantization. */
export interface Variant {
  /** The source that pulls this variant: see `Puller.pull`. */
  source: string;
  /** In capitals, as in `Q4_K_M`; null if the file's name does not contain it. */
  quantization: string | null;
  /** The size of all its files together, in bytes. */
  size: number;
  /** True if a file for images or audio is among them. */
  projector: boolean;
}

/** The variants that can be pulled from a source. */
export interface Offer {
  /** `org/name`, or the host if the source is a URL. */
  origin: string;
  /** In ascending order of size. */
  variants: Variant[];
  /** The `source` of the variant that a pull of the source would choose; null if the choice is not clear. */
  named: string | null;
}

/** Finds models that can be pulled. Each function throws an `ApiError` that tells the client what to do. */
export interface Finder {
  /** Returns the repositories with these words in their names, the most downloaded first. */
  search(words: string, limit: number, signal: AbortSignal): Promise<FoundRepository[]>;
  /** Returns the variants at a source: see `Puller.pull`. */
  offer(source: string, signal: AbortSignal): Promise<Offer>;
}
