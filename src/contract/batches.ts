/** A stored file, in OpenAI's shape. Times are in seconds since 1970. */
export interface FileObject {
  id: string;
  object: 'file';
  bytes: number;
  created_at: number;
  expires_at: number;
  filename: string;
  purpose: 'batch' | 'batch_output';
  status: 'processed';
}

/** A file that a client uploads. */
export interface NewFile {
  filename: string;
  bytes: Uint8Array;
  /** The time after which it is deleted, in seconds. */
  expiresAfter: number;
}

/** The states of a batch. The last four are its end. */
export type BatchStatus =
  | 'validating'
  | 'in_progress'
  | 'finalizing'
  | 'cancelling'
  | 'completed'
  | 'failed'
  | 'expired'
  | 'cancelled';

/** What is wrong with a batch: one of the lines of its file, or null if the fault is in none. */
export interface BatchProblem {
  code: string;
  message: string;
  param: string | null;
  line: number | null;
}

/** A batch of requests, in OpenAI's shape. Times are in seconds since 1970. */
export interface BatchObject {
  id: string;
  object: 'batch';
  endpoint: string;
  errors: { object: 'list'; data: BatchProblem[] } | null;
  input_file_id: string;
  completion_window: '24h';
  status: BatchStatus;
  output_file_id: string | null;
  error_file_id: string | null;
  created_at: number;
  in_progress_at: number | null;
  expires_at: number;
  finalizing_at: number | null;
  completed_at: number | null;
  failed_at: number | null;
  expired_at: number | null;
  cancelling_at: number | null;
  cancelled_at: number | null;
  request_counts: { total: number; completed: number; failed: number };
  metadata: Record<string, string> | null;
}

/** A batch that a client wants. */
export interface NewBatch {
  inputFileId: string;
  endpoint: string;
  metadata: Record<string, string> | null;
  /** The time after which the files of its results are deleted, in seconds. */
  outputExpiresAfter: number;
}

/** Who makes files and batches: the owner of the data, and the name of its key, null without a key. */
export interface BatchOwner {
  id: string;
  key: string | null;
}

/**
 * The files and batches of a server. They outlast a restart. Each is only found by the `owner` that made it, and is
 * deleted when it has expired.
 */
export interface Batches {
  /** Stores a file. Throws a 413 `ApiError` at a limit, and a 507 if the disk is full. */
  addFile(owner: string, file: NewFile): Promise<FileObject>;
  /** The newest first. */
  files(owner: string): FileObject[];
  findFile(owner: string, id: string): FileObject | undefined;
  /** Returns the text of a file that exists, in pieces. */
  readFile(id: string): AsyncIterable<string>;
  /** Deletes a file that exists. Throws a 409 `ApiError` for a file that a batch needs. */
  removeFile(id: string): Promise<void>;
  /** Begins a batch whose input file exists. Throws a 429 `ApiError` if the owner has too many under way. */
  create(owner: BatchOwner, wanted: NewBatch): Promise<BatchObject>;
  /** The newest first. */
  list(owner: string): BatchObject[];
  find(owner: string, id: string): BatchObject | undefined;
  /** Ends a batch that exists. What is answered by then stays. It changes nothing about a batch that has ended. */
  cancel(id: string): Promise<BatchObject>;
}

const ENDED: ReadonlySet<BatchStatus> = new Set(['completed', 'failed', 'expired', 'cancelled'] as const);

/** True if a batch has ended. */
export function hasEnded({ status }: Pick<BatchObject, 'status'>): boolean {
  return ENDED.has(status);
}
