import { overloaded } from '../../contract/errors.ts';
import type { ModelCard } from '../../contract/models/model.ts';
import type { LoadedModel } from '../../contract/residency.ts';
import { SAMPLING_FIELDS, SAMPLING_KEYS } from '../../contract/sampling.ts';
import type { RequestContext } from '../context.ts';
import { toSampling } from '../fields/sampling.ts';
import { wantedModel } from '../fields/wanted-model.ts';
import { type ApiReply, type ApiRequest, jsonReply } from '../http/http.ts';
import { queryField } from '../http/query.ts';
import { contextLengthOf } from '../models/model-object.ts';

/** GET /props: what llama-server tells of the model that it runs. `?model=` names another one than the usual. */
export function tellProps(context: RequestContext, { query }: ApiRequest): ApiReply {
  const { model, loaded } = modelOf(context, query);
  const sampling = toSampling({}, model);
  const params = Object.fromEntries(SAMPLING_KEYS.map((key) => [SAMPLING_FIELDS[key].name, sampling[key]]));
  return jsonReply({
    default_generation_settings: { n_ctx: contextLengthOf(model, loaded), params },
    total_slots: loaded?.engine.slots ?? model.settings.n_parallel ?? 1,
    model_alias: model.id,
    // The path of the file is nobody's business.
    model_path: model.id,
    modalities: { vision: model.settings.vision_model ?? false, audio: model.audioModel },
    chat_template: model.settings.prompt_template ?? '',
    build_info: context.systemFingerprint,
    is_sleeping: loaded === undefined,
  });
}

/**
 * GET /slots: the slots of a loaded model, and which of them are in use. It has nothing of their prompts. With `fail_on_no_slot` it
 * throws a 503 `ApiError` if none is free.
 */
export function listSlots(context: RequestContext, { query }: ApiRequest): ApiReply {
  const { model, loaded } = modelOf(context, query);
  const { slots = 0, contextLength = contextLengthOf(model, loaded) } = loaded?.engine ?? {};
  const busy = loaded?.busy ?? 0;
  if (queryField(query, 'fail_on_no_slot') === '1' && loaded && busy >= slots) throw overloaded('No slot is free.', 1);
  const list = Array.from({ length: slots }, (_, id) => ({
    id,
    n_ctx: contextLength,
    speculative: false,
    is_processing: id < busy,
  }));
  return jsonReply(list);
}

function modelOf(context: RequestContext, query: string): { model: ModelCard; loaded: LoadedModel | undefined } {
  const model = wantedModel(context, queryField(query, 'model'));
  return { model, loaded: context.runner.loaded().find(({ id }) => id === model.id) };
}
