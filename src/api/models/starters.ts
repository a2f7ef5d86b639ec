import { idOfStarter, sourceOfStarter, starterBytes } from '../../contract/models/find-starter.ts';
import type { RequestContext } from '../context.ts';
import { type ApiReply, jsonReply } from '../http/http.ts';
import { estimateStarters, type StarterEstimate } from './starter-estimates.ts';

/** GET /v1/starters: the starter models with their memory and speed on this machine, the recommended one first. */
export async function listStarters(context: RequestContext): Promise<ApiReply> {
  const { catalogue, runner, machine } = context;
  // Nothing was measured on a GPU, so no speed is told there.
  const onGpu = runner.loaded().some(({ engine }) => engine.backend === 'gpu');
  const measured = onGpu ? null : ((await machine?.()) ?? null);
  const data = estimateStarters(measured, runner.memory?.()).map((estimate) => ({
    ...toStarterObject(estimate),
    pulled: catalogue.find(idOfStarter({ ...estimate, quantization: estimate.starter.quantization })) !== undefined,
  }));
  return jsonReply({ object: 'list', data });
}

/** Returns a starter model as the API and `paddock pull --json` print it. */
export function toStarterObject({ starter, memory, fit, speed, best }: StarterEstimate) {
  const { name, title, kind, goodAt, licence, quantization, exact = true } = starter;
  return {
    name,
    title,
    kind,
    good_at: goodAt,
    licence,
    source: sourceOfStarter({ starter, quantization }),
    quantization,
    size: starterBytes(starter),
    size_is_exact: exact,
    memory,
    fit: fit.replace(' ', '_'),
    tokens_per_second: speed,
    best,
  };
}
