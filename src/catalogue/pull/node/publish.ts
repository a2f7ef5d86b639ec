import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as v from 'valibot';
import { placeTaken } from '../errors.ts';
import { fileIdentityOf, isSameFile, type PullPlan } from '../remote.ts';
import { bytesAt, type Workspace } from './workspace.ts';

const MODEL_JSON = 'model.json';

/** The fields that a pull writes to model.json. Users may add others. */
const pulledSchema = v.looseObject({
  id: v.string(),
  sources: v.array(
    v.object({
      filename: v.string(),
      url: v.string(),
      size: v.number(),
      sha256: v.optional(v.string()),
      validator: v.optional(v.string()),
    }),
  ),
});

type Pulled = v.InferOutput<typeof pulledSchema>;

/**
 * Reads what an earlier pull put into the model's folder. Returns undefined if the folder is empty.
 *
 * @throws ApiError if it holds files that must not be replaced
 */
export async function readPlace(place: string, { id, folder }: PullPlan): Promise<Pulled | undefined> {
  const names = await readdir(place).catch(() => []);
  if (names.length === 0) return undefined;
  const pulled = await readPulled(join(place, MODEL_JSON));
  if (pulled?.id === id) return pulled;
  throw placeTaken(
    `The folder ${folder.join('/')} of the models holds ${pulled ? `the model ${pulled.id}` : 'files that no pull has put there'}. Move or remove it first.`,
  );
}

async function readPulled(path: string): Promise<Pulled | undefined> {
  try {
    return v.parse(pulledSchema, JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return undefined;
  }
}

/** True if the model in the folder has exactly the files of the plan. */
export async function hasFilesOfPlan(place: string, pulled: Pulled, { files }: PullPlan): Promise<boolean> {
  if (pulled.sources.length !== files.length) return false;
  for (const file of files) {
    const source = pulled.sources.find(({ filename }) => filename === file.name);
    if (!source) return false;
    const { filename: name, url, size, sha256 = null, validator = null } = source;
    if (!isSameFile(fileIdentityOf(file), { name, url, size, sha256, validator })) return false;
    if ((await bytesAt(join(place, name))) !== size) return false;
  }
  return true;
}

/**
 * Moves a complete model into its folder. If the folder was empty, this is a single rename. Fields that users added to
 * its model.json stay.
 */
export async function publishWorkspace(
  { folder, model }: Workspace,
  place: string,
  plan: PullPlan,
  before: Pulled | undefined,
): Promise<void> {
  const sources = plan.files.map(fileIdentityOf).map(({ name, url, size, sha256, validator }) => ({
    filename: name,
    url,
    size,
    ...(sha256 !== null && { sha256 }),
    ...(validator !== null && { validator }),
  }));
  const card = { ...before, id: plan.id, sources };
  await writeFile(join(model, MODEL_JSON), `${JSON.stringify(card, null, 2)}\n`, { flush: true });
  await mkdir(dirname(place), { recursive: true });
  const aside = join(folder, 'before');
  if (before) await rename(place, aside);
  try {
    await rename(model, place);
  } catch (error) {
    if (before) await rename(aside, place);
    throw error;
  }
  await rm(folder, { recursive: true, force: true });
}

/** Moves the old model back if a pull was killed between the two renames that replace a model. */
export async function undoHalfReplaced(folder: string, place: string): Promise<void> {
  const names = await readdir(place).catch(() => []);
  if (names.length === 0) await rename(join(folder, 'before'), place).catch(() => {});
}
