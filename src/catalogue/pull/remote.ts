import type { ApiError } from '../../core/errors.ts';

/** How the platform sends a GET request: the global `fetch`, with what is fitting there. */
export type Fetch = (url: string, init: { headers: Record<string, string>; signal: AbortSignal }) => Promise<Response>;

/** Where files come from: what to send along, and what a refusal means there. */
export interface Host {
  headers: Record<string, string>;
  /** The error of a status of 4xx; `code` is what a hub calls it. */
  refusal(status: number, code: string | null): ApiError;
}

/** A file to fetch. */
export interface RemoteFile {
  /** Of the file here; a safe name. */
  name: string;
  url: string;
  /** In bytes. */
  size: number;
  /** In hex; null where nobody tells it. */
  sha256: string | null;
  /** A strong ETag or a date that proves on resuming that the file is still the same; needed only without a sha256. */
  validator: string | null;
  host: Host;
}

/** What a source comes to. */
export interface PullPlan {
  /** The model's. */
  id: string;
  /** The steps from the models folder to the model's own. */
  folder: string[];
  files: RemoteFile[];
}

/** What tells one file from another without fetching them. `url` is without its query, which may hold a signature. */
export type FileIdentity = Omit<RemoteFile, 'host'>;

export function identityOf({ name, url, size, sha256, validator }: RemoteFile): FileIdentity {
  return { name, url: url.replace(/\?.*$/, ''), size, sha256, validator };
}

/** Whether two files are the same for sure. */
export function isSameFile(a: FileIdentity, b: FileIdentity): boolean {
  if (a.name !== b.name || a.size !== b.size) return false;
  if (a.sha256 !== null || b.sha256 !== null) return a.sha256 === b.sha256;
  return a.url === b.url && a.validator !== null && a.validator === b.validator;
}
