import { ApiError } from '../contract/errors.ts';

/** The limits of files and batches. */
export interface BatchLimits {
  /** The most bytes and files of one owner, without those that its batches write. */
  ownerBytes: number;
  ownerFiles: number;
  /** The most bytes and files of all owners. */
  bytes: number;
  files: number;
  /** The most lines of one file. */
  lines: number;
  /** The most batches of one owner that have not ended. */
  ownerBatches: number;
  /** The most batches of one owner that are remembered after their end. */
  ownerEnded: number;
}

export const BATCH_LIMITS: BatchLimits = {
  ownerBytes: 1024 ** 3,
  ownerFiles: 1000,
  bytes: 8 * 1024 ** 3,
  files: 10_000,
  lines: 50_000,
  ownerBatches: 100,
  ownerEnded: 1000,
};

/** How much is stored. */
export interface StoredAmount {
  bytes: number;
  files: number;
}

/** Throws a 413 `ApiError` if a file of `bytes` is too much for its owner, or for the server. */
export function checkRoom(bytes: number, ofOwner: StoredAmount, ofAll: StoredAmount, limits: BatchLimits): void {
  const advice = 'Delete some with DELETE /v1/files/{file_id}.';
  if (ofOwner.files >= limits.ownerFiles)
    throw noRoom(`You have ${ofOwner.files} files already, which is the most. ${advice}`);
  if (ofOwner.bytes + bytes > limits.ownerBytes)
    throw noRoom(
      `The file has ${bytes} bytes and your other files have ${ofOwner.bytes}; together they may have ${limits.ownerBytes}. ${advice}`,
    );
  if (ofAll.files >= limits.files || ofAll.bytes + bytes > limits.bytes)
    throw noRoom('The server has no room for more files. Its files are deleted when they expire.');
}

function noRoom(message: string): ApiError {
  return new ApiError({
    status: 413,
    type: 'invalid_request_error',
    code: 'storage_limit_exceeded',
    param: 'file',
    message,
  });
}

/** Throws a 429 `ApiError` if an owner has `unfinished` batches and wants one more. */
export function checkUnfinished(unfinished: number, { ownerBatches }: BatchLimits): void {
  if (unfinished < ownerBatches) return;
  throw new ApiError({
    status: 429,
    type: 'rate_limit_error',
    code: 'too_many_batches',
    param: null,
    message: `You have ${unfinished} batches under way, which is the most. Wait for one to end, or cancel one.`,
  });
}
