import { basename, dirname, join } from 'node:path';
import { UsageError } from '../../serve/errors.ts';
import { parseObject } from '../../utils/json.ts';

/** The files of a run: beside the file of requests are its results and, while the run is not over, the id of its batch. */
export function filesOfRun(path: string): { results: string; unfinished: string } {
  const name = basename(path).replace(/\.jsonl$/, '');
  return { results: join(dirname(path), `${name}.out.jsonl`), unfinished: join(dirname(path), `${name}.batch.json`) };
}

/** Returns the endpoint of a file of requests, which is that of its first line. Throws a `UsageError` if it names none. */
export function endpointOf(lines: string, path: string): string {
  const first = lines.split('\n').find((line) => /\S/.test(line)) ?? '';
  const url = parseObject(first.replace(/^\uFEFF/, ''))?.url;
  if (typeof url === 'string') return url;
  throw new UsageError(
    `${path} is no file of requests: each line must be JSON with custom_id, method, url and body, as docs/batches.md says`,
  );
}

/** Returns the results in the order of the requests. Requests without a result have none. */
export function orderedLike(requests: string, results: string): string {
  const byId = new Map(idsOf(results));
  const ordered = idsOf(requests).flatMap(([id]) => byId.get(id) ?? []);
  return ordered.map((line) => `${line}\n`).join('');
}

function idsOf(lines: string): [id: string, line: string][] {
  return lines.split('\n').flatMap((line): [string, string][] => {
    const id = parseObject(line.replace(/^\uFEFF/, ''))?.custom_id;
    return typeof id === 'string' ? [[id, line]] : [];
  });
}
