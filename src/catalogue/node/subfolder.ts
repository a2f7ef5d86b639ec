import { messageOf } from '../../utils/error-message.ts';
import { describeModel, isChatModel, type ModelEntry } from '../describe.ts';
import type { FoundFile, GgufFile } from '../found-file.ts';
import { defaultId, groupFiles, type ModelFiles, missingParts } from '../model-files.ts';
import { isModelId, MODEL_ID_RULE } from '../model-id.ts';
import type { ModelOverrides } from '../model-json.ts';
import type { CatalogueProblem } from '../problem.ts';
import { chooseProjector, isNamedProjector, isProjector } from '../projector.ts';
import type { Readers } from './readers.ts';

interface Found {
  entries: ModelEntry[];
  problems: CatalogueProblem[];
}

/** The other files in a model's folder. */
interface Company {
  /** True if the folder holds no other model. */
  alone: boolean;
  projectors: GgufFile[];
  models: ModelFiles[];
  jsons: FoundFile[];
}

/** Reads the models of one folder. `files` must be all files of that folder. */
export async function readSubfolder(files: FoundFile[], readers: Readers): Promise<Found> {
  const problems: CatalogueProblem[] = [];
  const models: FoundFile[] = [];
  const projectors: GgufFile[] = [];
  for (const file of files.filter(({ name }) => name.endsWith('.gguf'))) {
    const { value: header, problem } = await readers.header(file);
    if (problem) problems.push(problem);
    if (header && isProjector({ file, header })) projectors.push({ file, header });
    else if (!isNamedProjector(file.name)) models.push(file);
  }
  const groups = groupFiles(models);
  const jsons = files.filter(({ name }) => name.endsWith('model.json'));
  problems.push(...strayJsons(jsons, groups));
  const company = { alone: groups.length === 1, projectors, models: groups, jsons };
  const found = await Promise.all(groups.map((group) => readModel(group, company, readers)));
  return {
    entries: found.flatMap(({ entries }) => entries),
    problems: [...problems, ...found.flatMap(({ problems }) => problems)],
  };
}

async function readModel(model: ModelFiles, company: Company, readers: Readers): Promise<Found> {
  const parts = await readParts(model, readers);
  const missing = missingParts(model);
  const [first, ...others] = parts;
  // The problems of the parts have been reported already.
  if (!first || parts.length < model.files.length) return { entries: [], problems: [] };
  const skipped = (reason: string) => ({ message: 'model skipped', file: first.file.path, reason });
  if (missing.length > 0) {
    return { entries: [], problems: [skipped(`of its ${model.parts} parts these are missing: ${missing.join(', ')}`)] };
  }
  const json = jsonOf(model, company);
  const { value, problem } = json ? await readers.overrides(json) : { value: null, problem: null };
  const overrides = value ?? {};
  const projector = projectorOf(first, company, overrides);
  const draft = await draftOf(model, company, overrides, readers);
  const wrong = wrongFile(json, 'mmproj', 'projector', projector, overrides);
  const wrongDraft = wrongFile(json, 'draft_model', 'chat model of one file', draft, overrides);
  const problems = [problem, wrong, wrongDraft].filter((problem) => problem !== null);
  const id = overrides.id ?? defaultId(model, company.alone);
  if (!isModelId(id)) return { entries: [], problems: [...problems, skipped(`its id '${id}' ${MODEL_ID_RULE}`)] };
  const beside = { projector, draft };
  const used = [
    ...model.files,
    ...Object.values(beside).flatMap((other) => (other ? [other.file] : [])),
    ...(json ? [json] : []),
  ];
  try {
    const entry = readers.entry(id, used, () => describeModel(id, [first, ...others], beside, overrides));
    return { entries: [entry], problems };
  } catch (error) {
    return { entries: [], problems: [...problems, skipped(messageOf(error))] };
  }
}

async function readParts({ files }: ModelFiles, readers: Readers): Promise<GgufFile[]> {
  const parts: GgufFile[] = [];
  for (const file of files) {
    const { value: header } = await readers.header(file);
    if (header) parts.push({ file, header });
  }
  return parts;
}

/** Finds `<stem>.model.json`, or else `model.json` if the folder holds no other model. */
function jsonOf({ stem }: ModelFiles, { jsons, alone }: Company): FoundFile | undefined {
  return (
    jsons.find(({ name }) => name === `${stem}.model.json`) ??
    (alone ? jsons.find(({ name }) => name === 'model.json') : undefined)
  );
}

function strayJsons(jsons: FoundFile[], groups: ModelFiles[]): CatalogueProblem[] {
  return jsons.flatMap(({ name, path: file }) => {
    if (name !== 'model.json') {
      const stem = name.slice(0, -'.model.json'.length);
      if (groups.some((group) => group.stem === stem)) return [];
      return [{ message: 'model.json skipped', file, reason: `there is no ${stem}.gguf beside it` }];
    }
    if (groups.length < 2) return [];
    const reason = 'it lies beside several models: name it after one of them, as in <name>.model.json';
    return [{ message: 'model.json skipped', file, reason }];
  });
}

/** Returns the projector that the model.json names, or else the one that fits best. */
function projectorOf(model: GgufFile, { alone, projectors }: Company, { settings }: ModelOverrides): GgufFile | null {
  return projectors.find(({ file }) => file.name === settings?.mmproj) ?? chooseProjector(model, alone, projectors);
}

/** Returns the draft model that the model.json names: another chat model of one file in the same folder. */
async function draftOf(
  model: ModelFiles,
  { models }: Company,
  { settings }: ModelOverrides,
  readers: Readers,
): Promise<GgufFile | null> {
  const named = models.find(
    (other) => other !== model && other.parts === 1 && other.files[0]?.name === settings?.draft_model,
  );
  const [file] = named?.files ?? [];
  const header = file && (await readers.header(file)).value;
  return header && isChatModel(header) ? { file, header } : null;
}

function wrongFile(
  json: FoundFile | undefined,
  name: 'mmproj' | 'draft_model',
  kind: string,
  found: GgufFile | null,
  { settings }: ModelOverrides,
): CatalogueProblem | null {
  if (!json || settings?.[name] === undefined || settings[name] === found?.file.name) return null;
  const reason = `settings.${name} must be the name of a ${kind} beside the model`;
  return { message: 'model.json has fields without effect', file: json.path, reason };
}
