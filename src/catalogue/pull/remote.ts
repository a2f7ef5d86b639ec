import type { ApiError } from '../../contract/errors.ts';

/** Sends a GET request: the global `fetch` with what the platform needs. */
export type Fetch = (url: string, init: { headers: Record<string, string>; signal: AbortSignal }) => Promise<Response>;

/** The host that serves a file: the headers to send, and the meaning of a refusal. */
export interface Host {
  headers: Record<string, string>;
  /** Makes the error for a 4xx status. `code` is the hub's own code, if it sent one. */
  refusal(status: number, code: string | null): ApiError;
}

/** A file to fetch. */
export interface RemoteFile {
  /** The name that the file gets here. It is a safe name. */
  name: string;
  url: string;
  /** Size in bytes. */
  size: number;
  /** The hash in hex; null if it is not known. */
  sha256: string | null;
  /**
   * A strong ETag or a date. It proves that the file is unchanged when a pull resumes. Needed only if there is no
   * sha256.
   */
  validator: string | null;
  host: Host;
}

/** The result of looking up a source. */
export interface PullPlan {
  /** The id of the model. */
  id: string;
  /** The steps of the path from the models folder to the model's folder. */
  folder: string[];
  files: RemoteFile[];
}

/** The fields that identify a file. `url` has no query, since that may hold a signature. */
export type FileIdentity = Omit<RemoteFile, 'host'>;

/** Returns what a journal remembers of a file, by which the next pull finds out whether it may continue it. */
export function fileIdentityOf({ name, url, size, sha256, validator }: RemoteFile): FileIdentity {
  return { name, url: url.replace(/\?.*$/, ''), size, sha256, validator };
}

/** True if the two are certainly the same file. */
export function isSameFile(a: FileIdentity, b: FileIdentity): boolean {
  if (a.name !== b.name || a.size !== b.size) return false;
  if (a.sha256 !== null || b.sha256 !== null) return a.sha256 === b.sha256;
  return a.url === b.url && a.validator !== null && a.validator === b.validator;
}
