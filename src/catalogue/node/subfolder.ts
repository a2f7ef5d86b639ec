import { messageOf } from '../../utils/error-message.ts';
import { findAdapters, isAdapter } from '../adapter.ts';
import { describeModel, isChatModel, type ModelEntry } from '../describe.ts';
import { isEagle3, whyNotFor } from '../eagle3.ts';
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
  adapters: GgufFile[];
  /** The EAGLE-3 draft models, which are no models of their own. */
  drafts: GgufFile[];
  models: ModelFiles[];
  jsons: FoundFile[];
}

/** Reads the models of one folder. `files` must be all files of that folder. */
export async function readSubfolder(files: FoundFile[], readers: Readers): Promise<Found> {
  const problems: CatalogueProblem[] = [];
  const models: FoundFile[] = [];
  const projectors: GgufFile[] = [];
  const adapters: GgufFile[] = [];
  const drafts: GgufFile[] = [];
  for (const file of files.filter(({ name }) => name.endsWith('.gguf'))) {
    const { value: header, problem } = await readers.header(file);
    if (problem) problems.push(problem);
    if (header && isAdapter({ header })) adapters.push({ file, header });
    else if (header && isEagle3({ header })) drafts.push({ file, header });
    else if (header && isProjector({ file, header })) projectors.push({ file, header });
    else if (!isNamedProjector(file.name)) models.push(file);
  }
  const groups = groupFiles(models);
  const jsons = files.filter(({ name }) => name.endsWith('model.json'));
  problems.push(...strayJsons(jsons, groups));
  const company = { alone: groups.length === 1, projectors, adapters, drafts, models: groups, jsons };
  const found = await Promise.all(groups.map((group) => readModel(group, company, readers)));
  const entries = found.flatMap(({ entries }) => entries);
  return {
    entries,
    problems: [
      ...problems,
      ...found.flatMap(({ problems }) => problems),
      ...unusedAdapters(adapters, entries),
      ...unnamedDrafts(drafts, found),
    ],
  };
}

async function readModel(model: ModelFiles, company: Company, readers: Readers): Promise<Found> {
  const parts = await readParts(model, readers);
  const missing = missingParts(model);
  const [first, ...rest] = parts;
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
  const eagle3 = company.drafts.find(({ file }) => file.name === overrides.settings?.draft_model);
  const misfit = eagle3 && whyNotFor(first.header, eagle3.header);
  const named = eagle3 ?? (await draftOf(model, company, overrides, readers));
  const draft = misfit === undefined ? named : null;
  const wanted = overrides.settings?.lora ?? [];
  const { found: adapters, reasons } = findAdapters(first, company.adapters, wanted, isChatModel(first.header));
  const wrong = wrongFile(json, 'mmproj', 'projector', projector, overrides);
  const wrongDraft = wrongFile(json, 'draft_model', 'chat model of one file', named, overrides);
  const unfit = eagle3 && misfit !== undefined ? unusedDraft(eagle3, misfit) : null;
  const wrongAdapters = reasons.map((reason) => withoutEffect(json, reason));
  const problems = [problem, wrong, wrongDraft, unfit, ...wrongAdapters].filter((problem) => problem !== null);
  const id = overrides.id ?? defaultId(model, company.alone);
  if (!isModelId(id)) return { entries: [], problems: [...problems, skipped(`its id '${id}' ${MODEL_ID_RULE}`)] };
  const beside = { projector, draft, adapters };
  const others = [projector, draft, ...adapters.map(({ gguf }) => gguf)];
  const used = [...model.files, ...others.flatMap((other) => (other ? [other.file] : [])), ...(json ? [json] : [])];
  try {
    const entry = readers.entry(id, used, () => describeModel(id, [first, ...rest], beside, overrides));
    if (entry.card.lacksProjector) problems.push(withoutProjector(first));
    return { entries: [entry], problems };
  } catch (error) {
    return { entries: [], problems: [...problems, skipped(messageOf(error))] };
  }
}

function withoutProjector({ file }: GgufFile): CatalogueProblem {
  const reason = 'its projector, a GGUF with mmproj in its name, is not in its folder';
  return { message: 'model takes neither images nor audio', file: file.path, reason };
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
  return withoutEffect(json, `settings.${name} must be the name of a ${kind} beside the model`);
}

function withoutEffect(json: FoundFile | undefined, reason: string): CatalogueProblem | null {
  return json ? { message: 'model.json has fields without effect', file: json.path, reason } : null;
}

function unusedAdapters(adapters: GgufFile[], entries: ModelEntry[]): CatalogueProblem[] {
  const used = new Set(entries.flatMap(({ source }) => source.adapters ?? []).map(({ file }) => file));
  const reason = 'no model beside it has it: settings.lora of a model.json names the adapters of a model';
  return adapters
    .filter(({ file }) => !used.has(file.path))
    .map(({ file }) => ({ message: 'LoRA adapter not used', file: file.path, reason }));
}

/** Returns a problem for each EAGLE-3 draft model that no model has and of which no other problem tells. */
function unnamedDrafts(drafts: GgufFile[], found: readonly Found[]): CatalogueProblem[] {
  const told = new Set(
    found.flatMap(({ entries, problems }) => [
      ...entries.map(({ source }) => source.eagle3?.file),
      ...problems.map(({ file }) => file),
    ]),
  );
  const reason = 'no model beside it names it: settings.draft_model of a model.json names the draft model of a model';
  return drafts.filter(({ file }) => !told.has(file.path)).map((draft) => unusedDraft(draft, reason));
}

function unusedDraft({ file }: GgufFile, reason: string): CatalogueProblem {
  return { message: 'draft model not used', file: file.path, reason };
}
