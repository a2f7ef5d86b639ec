import { isModelId, MODEL_ID_RULE } from '../model-id.ts';
import { type ChosenFiles, chooseByPath, chooseByQuant } from './choose.ts';
import { downloadFailed, invalidSource } from './errors.ts';
import { type Hub, hubHosts, openRepository } from './hugging-face.ts';
import { isSafeName, localName, modelIdStemOf } from './names.ts';
import type { PersistOptions } from './patience.ts';
import type { PullPlan } from './remote.ts';
import { parseSource } from './source.ts';
import { probeUrl } from './web.ts';

/**
 * Looks up a source and returns the model's id, its folder and its files.
 *
 * @throws ApiError
 */
export async function makePlan(text: string, hub: Hub, options: PersistOptions): Promise<PullPlan> {
  const source = parseSource(text, hubHosts(hub));
  if (source.kind === 'url') {
    const stem = modelIdStemOf(decodeURIComponent(new URL(source.url).pathname));
    return checked({ id: stem, folder: [stem], files: await probeUrl(source.url, options) });
  }
  const { repo } = source;
  const { files: listed, urlOf, host } = await openRepository(hub, repo, source.revision, options);
  const { quant, files } =
    source.kind === 'repo' ? chooseByQuant(listed, repo, source.quant) : chooseByPath(listed, repo, source.path);
  return checked({
    ...placeOf(repo, source.kind === 'repo' ? quant : null, files),
    files: files.map(({ path, ...file }) => ({ ...file, name: localName(path), url: urlOf(path), host })),
  });
}

function placeOf(repo: string, quant: string | null, files: ChosenFiles['files']): Pick<PullPlan, 'id' | 'folder'> {
  if (quant !== null) return { id: `${repo}:${quant}`, folder: [...repo.split('/'), quant] };
  const stem = modelIdStemOf(files[0]?.path ?? '');
  return { id: `${repo}/${stem}`, folder: [...repo.split('/'), stem] };
}

/** Checks the names that a host sent before they become paths. */
function checked(plan: PullPlan): PullPlan {
  const names = plan.files.map(({ name }) => name);
  const bad = [...plan.folder, ...names].find((name) => !isSafeName(name));
  if (bad !== undefined)
    throw invalidSource(
      `model has a file or folder of the name ${JSON.stringify(bad.slice(0, 200))}, which no system is sure to take.`,
    );
  if (!isModelId(plan.id))
    throw invalidSource(`model has the id ${JSON.stringify(plan.id.slice(0, 200))}; an id ${MODEL_ID_RULE}.`);
  if (new Set(names.map((name) => name.toLowerCase())).size < names.length)
    throw invalidSource('model has several files of the same name.');
  const broken = plan.files.find(({ size }) => !Number.isSafeInteger(size) || size <= 0);
  if (broken) throw downloadFailed(`The host says that ${broken.name} is ${broken.size} bytes long.`);
  return plan;
}
