import type { Health } from '../health.ts';
import { canChat, type ListedModel } from '../model.ts';
import type { Ground } from '../state.ts';
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
export function wayToMore(model: ListedModel, window: number, ground: Ground | null): string {
  const trained = model.meta.n_ctx_train;
  const of = `${window.toLocaleString('en')} tokens`;
  if (trained <= window) return `${model.name} was made for ${of}: a larger window would not help it.`;
  const most = trained.toLocaleString('en');
  if (ground === 'browser') {
    return `${model.name} was made for up to ${most} tokens. It has ${of} here: that is what the memory of a browser allows, and 4,096 at most. On a server it can have more.`;
  }
  return `${model.name} was made for up to ${most} tokens and has ${of} here. Whoever runs the server can give it more, as far as memory allows: start it with --ctx-len ${trained}, or set ctx_len in the model.json of the model.`;
}
