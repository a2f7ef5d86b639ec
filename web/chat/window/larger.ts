import type { ListedModel } from '../../../src/contract/models/model.ts';
import type { Translate } from '../messages/translate.ts';
import { canChat } from '../models/model.ts';
import type { Health } from '../page/health.ts';
import type { Ground } from '../state/state.ts';
import { windowOf } from './fill.ts';

/** How many other models are offered. */
const MOST_OFFERED = 2;

/** What a model gets at most that nobody has given more, in tokens. The list tells what it was trained with. */
const USUAL: Record<Ground, number> = { server: 8192, browser: 4096 };

/** The window of a model that may not be in memory, in tokens; it may turn out to be smaller. */
export function likelyWindow(model: ListedModel, health: Health | null, ground: Ground | null): number {
  const window = windowOf(health, model);
  return model.loaded ? window : Math.min(window, USUAL[ground ?? 'server']);
}

/** The chat models whose window is likely larger than this, in tokens: the largest first. */
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

/** Says for people what gives a model a larger window, or why nothing does. */
export function wayToMore({ name, meta }: ListedModel, window: number, ground: Ground | null, t: Translate): string {
  const most = meta.n_ctx_train;
  const values = { model: name, window, most };
  if (most <= window) return t('window.noMore', values);
  if (ground === 'browser') return t('window.moreInBrowser', { ...values, limit: USUAL.browser });
  return t('window.moreOnServer', { ...values, plain: String(most) });
}
