import { isNamedProjector } from '../projector.ts';
import { invalidSource, sourceNotFound } from './errors.ts';
import { isGguf, lastStep, modelIdStemOf, shardsOf } from './names.ts';

/** A file of a repository, as the host lists it. */
export interface ListedFile {
  /** The path within the repository, with `/` between its steps. */
  path: string;
  /** Size in bytes. */
  size: number;
  /** The hash in hex; null if the host does not tell it. */
  sha256: string | null;
  /** An ETag that stands for the content, if there is no sha256. */
  validator: string | null;
}

/** The files of one model: its GGUF or all its parts in order, then its projector if it has one. */
export interface ChosenFiles {
  /** The quantization in capitals; null if the file's name does not tell it. */
  quant: string | null;
  files: ListedFile[];
}

/** The order of preference if the source names no quantization. The first one that the repository has is taken. */
export const QUANT_PREFERENCE = [
  ...['Q4_K_M', 'UD-Q4_K_XL', 'Q4_K_XL', 'Q4_K_L', 'Q4_K_S', 'Q4_K', 'Q4_0', 'Q4_1', 'IQ4_NL', 'IQ4_XS', 'Q4'],
  ...['MXFP4', 'MXFP4_MOE', 'Q5_K_M', 'UD-Q5_K_XL', 'Q5_K_L', 'Q5_K_S', 'Q5_0', 'Q5_1', 'Q5', 'Q6_K', 'UD-Q6_K_XL'],
  ...['Q6_K_L', 'Q6', 'Q8_0', 'UD-Q8_K_XL', 'Q8', 'Q3_K_L', 'Q3_K_M', 'UD-Q3_K_XL', 'IQ3_M', 'Q3_K_S', 'F16', 'FP16'],
  ...['BF16', 'F32', 'FP32', 'IQ3_XS', 'IQ3_XXS', 'Q2_K', 'IQ2_M'],
];

/** F16 comes first: its results are as good as F32's at half the size, and unlike BF16 it runs everywhere. */
const PROJECTOR_PREFERENCE = ['F16', 'FP16', 'Q8_0', 'BF16', 'F32', 'FP32'];

const LABEL =
  /(?<![A-Z0-9])(?:UD-)?(?:I?Q[1-8](?:_(?:[01K]|NL|[XSML]+))*(?:_[0-9])*|TQ[12]_0|MXFP4(?:_MOE)?|NVFP4|B?F16|FP16|F32|FP32)(?![A-Z0-9_])/g;

/** Returns the quantization in a file's path, in capitals. If there are several, the last one counts. */
export function quantLabel(path: string): string | null {
  return path.toUpperCase().match(LABEL)?.at(-1) ?? null;
}

interface Candidate {
  quant: string | null;
  /** The path of the file, or of the first part of a split file. */
  path: string;
  parts: string[];
}

/**
 * Chooses the files of a repository's model in this quantization; null stands for the preferred one.
 *
 * @throws ApiError that lists the quantizations of the repository, or the files if several fit
 */
export function chooseByQuant(listed: ListedFile[], repo: string, quant: string | null): ChosenFiles {
  const candidates = findCandidates(listed);
  if (candidates.length === 0) throw sourceNotFound(`${repo} has no GGUF model among its ${listed.length} files.`);
  const [chosen, ...others] = fitting(candidates, quant).sort(compareCandidates);
  if (!chosen) throw noSuchQuant(candidates, repo, quant);
  const rival = others.find((other) => compareCandidates(chosen, other) === 0);
  if (rival) {
    const names = list([chosen, ...others].map(({ path }) => `hf:${repo}/${path}`));
    throw invalidSource(`model is not clear: ${repo} has several files that fit. Name one of them: ${names}.`);
  }
  return { quant: quant?.toUpperCase() ?? chosen.quant, files: gather(listed, chosen, repo) };
}

/**
 * Chooses the model that consists of this file or has it as a part, and its projector.
 *
 * @throws ApiError if the file does not exist or is not a model
 */
export function chooseByPath(listed: ListedFile[], repo: string, path: string): ChosenFiles {
  const known = listed.some((file) => file.path === path);
  if (!known) throw sourceNotFound(`${repo} has no file '${path}'.`);
  const candidate = findCandidates(listed).find(({ parts }) => parts.includes(path));
  if (!candidate)
    throw invalidSource(`model '${path}' is no model of its own. Pull the model that it belongs to: it comes along.`);
  return { quant: candidate.quant, files: gather(listed, candidate, repo) };
}

/** Any model of a repository, not only the model that a pull would choose. */
export interface RepositoryModel extends ChosenFiles {
  /** The path of its first file. */
  path: string;
  /** True if no other model of the repository has its quantization. */
  isOnly: boolean;
}

/** Lists the models of a repository that are whole, the smallest first. */
export function modelsIn(listed: ListedFile[]): RepositoryModel[] {
  const candidates = findCandidates(listed);
  const paths = new Set(listed.map(({ path }) => path));
  return candidates
    .filter(({ parts }) => parts.every((part) => paths.has(part)))
    .map((candidate) => ({
      quant: candidate.quant,
      path: candidate.path,
      files: gather(listed, candidate, ''),
      isOnly: candidate.quant !== null && candidates.filter(({ quant }) => quant === candidate.quant).length === 1,
    }))
    .sort((one, other) => sizeOf(one) - sizeOf(other));
}

/** The size of all files of a model, in bytes. */
export function sizeOf({ files }: Pick<ChosenFiles, 'files'>): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}

/** True if a file is a projector: it makes embeddings of images or audio for a model, and is no model itself. */
export function isProjectorPath(path: string): boolean {
  return isNamedProjector(lastStep(path));
}

function findCandidates(listed: ListedFile[]): Candidate[] {
  const candidates = new Map<string, Candidate>();
  for (const { path } of listed) {
    if (!isGguf(path) || isProjectorPath(path) || isImportanceMatrix(path)) continue;
    const parts = shardsOf(path);
    const first = parts[0] ?? path;
    candidates.set(first, { quant: quantLabel(path), path: first, parts });
  }
  return [...candidates.values()];
}

/**
 * True for statistics used for quantizing, which also come as a GGUF. If a quantization follows in the name, the file
 * is a model made with them.
 */
function isImportanceMatrix(path: string): boolean {
  const label = quantLabel(lastStep(path));
  return /imatrix/i.test(lastStep(path)) && (label === null || /F16|F32|FP/.test(label));
}

function fitting(candidates: Candidate[], quant: string | null): Candidate[] {
  if (quant !== null) return candidates.filter((candidate) => hasQuant(candidate, quant));
  const preferred = QUANT_PREFERENCE.find((label) => candidates.some((candidate) => candidate.quant === label));
  if (preferred !== undefined) return candidates.filter((candidate) => candidate.quant === preferred);
  return candidates.length === 1 ? candidates : [];
}

/** Compares with the label. Some quantizations are in no list of labels; for these, the end of the name counts. */
function hasQuant({ quant, path }: Candidate, wanted: string): boolean {
  const name = modelIdStemOf(path).toUpperCase();
  return (
    quant === wanted.toUpperCase() || (quant === null && new RegExp(`[-._]${escapeForRegExp(wanted)}$`, 'i').test(name))
  );
}

function escapeForRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** Files nearer to the repository's root come first, then whole files before split ones. */
function compareCandidates(a: Candidate, b: Candidate): number {
  const depth = ({ path }: Candidate) => path.split('/').length;
  return depth(a) - depth(b) || Number(a.parts.length > 1) - Number(b.parts.length > 1);
}

function gather(listed: ListedFile[], { path, parts }: Candidate, repo: string): ListedFile[] {
  const files = parts.map((part) => {
    const file = listed.find((other) => other.path === part);
    if (!file) throw sourceNotFound(`${repo} lacks '${part}', a part of the model.`);
    return file;
  });
  const projector = chooseProjector(listed, path);
  return projector ? [...files, projector] : files;
}

/** Returns the best projector in the model's folder, or else in the nearest folder above it. */
function chooseProjector(listed: ListedFile[], model: string): ListedFile | undefined {
  const rank = ({ path }: ListedFile) => {
    const place = PROJECTOR_PREFERENCE.indexOf(quantLabel(lastStep(path)) ?? '');
    return place === -1 ? PROJECTOR_PREFERENCE.length : place;
  };
  const folder = ({ path }: ListedFile) => path.slice(0, path.length - lastStep(path).length);
  return listed
    .filter((file) => isGguf(file.path) && isProjectorPath(file.path) && model.startsWith(folder(file)))
    .sort((a, b) => folder(b).length - folder(a).length || rank(a) - rank(b) || (a.path < b.path ? -1 : 1))[0];
}

function noSuchQuant(candidates: Candidate[], repo: string, quant: string | null) {
  const labels = [...new Set(candidates.map((candidate) => candidate.quant).filter((label) => label !== null))].sort();
  const what = quant === null ? `${repo} has no quantization that is taken by itself` : `${repo} has no ${quant}`;
  const choice =
    labels.length > 0
      ? `It has ${list(labels)}: ask for one as hf:${repo}:${labels[0]}.`
      : `Name a file: ${list(candidates.map(({ path }) => `hf:${repo}/${path}`))}.`;
  return invalidSource(`model is not to be had: ${what}. ${choice}`);
}

/** Lists at most 30 items: some repositories have hundreds. */
function list(items: string[]): string {
  const more = items.length - 30;
  return more > 0 ? `${items.slice(0, 30).join(', ')} and ${more} more` : items.join(', ');
}
