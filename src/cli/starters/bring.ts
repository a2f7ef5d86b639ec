import { findStarter, idOfStarter, sourceOfStarter, starterBytes } from '../../contract/models/find-starter.ts';
import { Interrupted } from '../../serve/errors.ts';
import { note } from '../../serve/output.ts';
import { formatBytes } from '../../utils/bytes.ts';
import type { ServerClient } from '../client/client.ts';
import { confirm } from '../confirm.ts';

/** A model that a name stands for. */
export interface NamedModel {
  /** The id that the model has on a server that has it. */
  id: string;
  source: string;
  /** The size of its files for people; empty if it is not known. */
  size: string;
  licence: string;
}

/** Returns the model that a name stands for, if it is a starter model or a repository of the hub; else undefined. */
export async function modelNamed(client: ServerClient, name: string): Promise<NamedModel | undefined> {
  const named = findStarter(name);
  if (named) {
    const { starter, quantization } = named;
    const known = quantization === starter.quantization;
    const size = `${starter.exact === false ? 'about ' : ''}${formatBytes(starterBytes(starter))}`;
    return {
      id: idOfStarter(named),
      source: sourceOfStarter(named),
      size: known ? size : '',
      licence: starter.licence,
    };
  }
  if (!name.includes('/')) return undefined;
  const offer = await client.offer(name);
  const variant = offer.variants.find(({ source }) => source === offer.named);
  if (!variant) return undefined;
  return {
    id: variant.source.replace(/^hf:/, ''),
    source: variant.source,
    size: formatBytes(variant.size),
    licence: '',
  };
}

/**
 * Pulls a model onto the server, after a question unless `isAgreed`. Returns its id. Throws an `Error` if the answer is
 * no, and a `UsageError` if there is no terminal to ask on.
 */
export async function bringModel(
  client: ServerClient,
  name: string,
  model: NamedModel,
  isAgreed: boolean,
): Promise<string> {
  const facts = [model.size, model.licence].filter((fact) => fact !== '').join(', ');
  note(`${name} is not here yet. It is ${model.source}${facts === '' ? '' : ` (${facts})`}.`);
  if (!isAgreed) await confirm('Pull it?', 'nothing was pulled');
  // With its libraries, and only needed here.
  const { openPullScreen } = await import('../pull-screen.ts');
  const stop = new AbortController();
  const onStop = () => stop.abort();
  process.once('SIGINT', onStop);
  const screen = openPullScreen(process.stderr);
  try {
    let id: string | undefined;
    for await (const event of client.pull(model.source, stop.signal)) {
      screen.show(event);
      if (event.status === 'done') id = event.model;
    }
    if (id !== undefined) return id;
    throw stop.signal.aborted
      ? new Interrupted('stopped; the same pull goes on from here next time')
      : new Error('the server ended the pull before its end');
  } finally {
    screen.close();
    process.off('SIGINT', onStop);
  }
}
