import { access, constants, readdir, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { FileCatalogue } from '../../catalogue/node/catalogue.ts';
import type { Log } from '../../contract/log.ts';
import { paddockHome } from '../../serve/home.ts';
import { counted } from '../../serve/output.ts';
import { formatBytes } from '../../utils/bytes.ts';
import { messageOf } from '../../utils/error-message.ts';
import { findLocalModels } from '../local-models.ts';
import type { Finding } from './finding.ts';

const LITTLE_DISK = 5e9;

/** The models of a folder and the built-in model, with the problems of the scan. */
export interface FoundModels {
  folder: string;
  catalogue: FileCatalogue;
  problems: string[];
}

/** Scans a models folder, and collects the problems for the report, where other commands print them as warnings. */
export async function findModels(folder: string): Promise<FoundModels> {
  const problems: string[] = [];
  return { folder, catalogue: await findLocalModels(folder, recordProblems(problems)), problems };
}

/** Checks Paddock's home and the models folder. */
export async function checkFolders(models: FoundModels): Promise<Finding[]> {
  return [await checkHome(paddockHome()), await checkModels(models)];
}

async function checkHome(home: string): Promise<Finding> {
  const finding = { id: 'home', title: 'home' };
  const existing = await nearestExisting(home);
  const { bavail, bsize } = await statfs(existing);
  const free = bavail * bsize;
  const room = `${formatBytes(free)} free`;
  const madeLater = existing === home ? '' : ', made at the first pull';
  try {
    await access(existing, constants.W_OK);
  } catch {
    return { ...finding, status: 'warn', detail: `${home} can't be written to, so nothing can be pulled; ${room}` };
  }
  return { ...finding, status: free < LITTLE_DISK ? 'warn' : 'ok', detail: `${home}${madeLater}, ${room}` };
}

async function checkModels({ folder, catalogue, problems }: FoundModels): Promise<Finding> {
  const finding = { id: 'models', title: 'models' };
  const count = catalogue.list().length;
  try {
    await readdir(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT')
      return { ...finding, status: 'fail', detail: `${folder} can't be read: ${messageOf(error)}` };
    return { ...finding, status: 'info', detail: `${folder} does not exist yet; ${counted(count, 'model')} in all` };
  }
  return {
    ...finding,
    status: problems.length > 0 ? 'warn' : 'ok',
    detail: [`${folder}, ${counted(count, 'model')}`, ...problems].join('; '),
  };
}

function recordProblems(problems: string[]): Log {
  const record = (message: string, fields: Record<string, unknown> = {}) =>
    void problems.push(`${message} (${Object.values(fields).map(String).join(': ')})`);
  return { debug: () => {}, info: () => {}, warn: record, error: record };
}

async function nearestExisting(path: string): Promise<string> {
  try {
    await access(path);
    return path;
  } catch {
    return dirname(path) === path ? path : nearestExisting(dirname(path));
  }
}
