import type { ListedModel } from '../../../src/contract/models/model.ts';
import type { Translate } from '../messages/translate.ts';
import { canChat } from '../models/model.ts';
import type { Health } from '../page/health.ts';
import type { Ground } from '../state/state.ts';
import { windowOf } from './fill.ts';

/** The largest number of models that are offered. */
const MOST_OFFERED = 2;

/**
 * The default limit of a context window, in tokens. The list of models has the window that a model was trained with,
 * which may be larger.
 */
const USUAL: Record<Ground, number> = { server: 8192, browser: 4096 };

/**
 * Returns the likely context window of a model, in tokens. If the model is not loaded, its window may turn out to be
 * smaller.
 */
export function likelyWindow(model: ListedModel, health: Health | null, ground: Ground | null): number {
  const window = windowOf(health, model);
  return model.loaded ? window : Math.min(window, USUAL[ground ?? 'server']);
}

/** Returns the chat models whose context window is likely larger than `window`, in tokens, the largest first. */
export function modelsWithMore(
  models: ListedModel[],
  health: Health | null,
  ground: Ground | null,
  window: number,
): ListedModel[] {
  const likely = (one: ListedModel) => likelyWindow(one, health, ground);
  return models
    .filter((one) => canChat(one) && one.settings.prompt_template && likely(one) > window)
    .sort((one, other) => likely(other) - likely(one))
    .slice(0, MOST_OFFERED);
}

/** Returns a sentence, for people, on how to give a model a larger window, or why that is not possible. */
export function wayToMore({ name, meta }: ListedModel, window: number, ground: Ground | null, t: Translate): string {
  const most = meta.n_ctx_train;
  const values = { model: name, window, most };
  if (most <= window) return t('window.noMore', values);
  if (ground === 'browser') return t('window.moreInBrowser', { ...values, limit: USUAL.browser });
  return t('window.moreOnServer', { ...values, plain: String(most) });
}
