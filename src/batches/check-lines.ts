import type { BatchProblem } from '../contract/batches.ts';
import { linesOf, readLine } from './lines.ts';

/** The most problems of a file that are told. */
const MOST_PROBLEMS = 100;

/** What a check of the file of a batch finds. */
export interface Checked {
  /** The number of requests. */
  total: number;
  /** Empty if the file is right. */
  problems: BatchProblem[];
}

/** Checks the file of a batch: each line must be a request for the endpoint, with an id of its own. */
export async function checkLines(path: string, endpoint: string, mostLines: number): Promise<Checked> {
  const problems: BatchProblem[] = [];
  const ids = new Set<string>();
  let total = 0;
  for await (const { number, text } of linesOf(path)) {
    total += 1;
    if (total > mostLines) {
      const message = `The file has more than ${mostLines} requests.`;
      return { total, problems: [{ code: 'too_many_requests_in_file', message, param: null, line: number }] };
    }
    const line = readLine(text, endpoint);
    if ('code' in line) problems.push({ ...line, line: number });
    else if (ids.has(line.customId)) {
      const message = `custom_id '${line.customId}' is in the file before.`;
      problems.push({ code: 'duplicate_custom_id', message, param: 'custom_id', line: number });
    } else ids.add(line.customId);
    if (problems.length === MOST_PROBLEMS) break;
  }
  if (total === 0) problems.push({ code: 'empty_file', message: 'The file has no requests.', param: null, line: null });
  return { total, problems };
}
