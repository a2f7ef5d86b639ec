import type { MessageKey, Translate } from '../messages/translate.ts';

/** The fields of GET /health that the page reads. */
export interface Health {
  models: HealthModel[];
  /** The memory for models, in bytes: free, and held by models. Older servers do not send it. */
  memory?: { available: number; held: number };
  moving: { id: string; state: 'queued' | 'loading' | 'unloading'; waiting: number }[];
}

/** A model in memory. */
export interface HealthModel {
  id: string;
  backend: string;
  device: string;
  fallback_reasons: string[];
  context_length: number;
  /** In bytes, as estimated. */
  memory: number;
  busy: number;
  waiting: number;
}

/** A line about the device that a model runs on. `reasons` says why no faster backend is used. */
export interface Footing {
  text: string;
  reasons: string[];
}

const PROCESSORS: Record<string, MessageKey> = { gpu: 'status.gpu', cpu: 'status.cpu' };
const BACKENDS: Record<string, string> = { wasm: 'WebAssembly', webgpu: 'WebGPU' };

/** True if the value is the /health response of a Paddock server. */
export function isHealth(value: unknown): value is Health {
  const { status, models, moving } = (value ?? {}) as Record<string, unknown>;
  return status === 'ok' && Array.isArray(models) && Array.isArray(moving);
}

/**
 * Returns the line about the device of this model, or about its loading. `isHere` is true if this browser runs it, and
 * the line shall say so.
 */
export function footingOf(health: Health | null, modelId: string, t: Translate, isHere = false): Footing {
  const moving = health?.moving.find(({ id }) => id === modelId);
  if (moving?.state === 'loading') return { text: t('status.loading'), reasons: [] };
  if (moving?.state === 'queued') return { text: t('status.queued'), reasons: [] };
  const loaded = health?.models.find(({ id }) => id === modelId);
  if (!loaded) return { text: t('status.notLoaded'), reasons: [] };
  const { backend, device, context_length: contextLength, fallback_reasons: reasons } = loaded;
  const processor = PROCESSORS[backend];
  const name = processor ? t(processor) : (BACKENDS[backend] ?? backend);
  // The device of WebAssembly is its build, as in "WebAssembly (64-bit)".
  const detail = device.toLowerCase() === backend || device.startsWith(name) ? '' : ` (${device})`;
  const ground = isHere ? t('status.inBrowser', { ground: name }) : `${name}${detail}`;
  return { text: t('status.runsOn', { ground, window: contextLength }), reasons };
}

/** Returns in a few words what a reply waits for before its first token. */
export function waitingFor(health: Health | null, modelId: string, t: Translate): string {
  const moving = health?.moving.find(({ id }) => id === modelId);
  if (moving?.state === 'loading') return t('status.waitLoading');
  if (moving?.state === 'queued') return t('status.waitQueued');
  const loaded = health?.models.find(({ id }) => id === modelId);
  return loaded && loaded.waiting > 0 ? t('status.waitLine') : t('status.waitModel');
}
