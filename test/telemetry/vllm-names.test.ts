import { describe, expect, it } from 'vitest';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { withVllmNames } from '../../src/telemetry/vllm-names.ts';
import { chatRecord, loaded, serverState } from './fixtures.ts';

/** A line of the text format. */
interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** Reads metrics as a scraper does. Throws for a line that is none. */
function read(text: string): Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name, labels = '', value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      if (!name) throw new Error(`no metric: ${line}`);
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', text = '']) => [key, text]);
      return { name, labels: Object.fromEntries(pairs), value: Number(value) };
    });
}

/** What llm-d's endpoint picker takes of a server: one gauge each, here by the names of its engineConfigs. */
function asEndpointPicker(samples: Sample[], names: { queued: string; running: string; kv: string; cache?: string }) {
  const one = (name: string) => {
    const found = samples.filter((sample) => sample.name === name);
    expect(found, name).toHaveLength(1);
    return found[0] as Sample;
  };
  const { block_size, num_gpu_blocks } = names.cache ? one(names.cache).labels : {};
  return {
    queued: one(names.queued).value,
    running: one(names.running).value,
    kv: one(names.kv).value,
    block_size,
    num_gpu_blocks,
  };
}

async function scrape(state = serverState()): Promise<string> {
  const metrics = createMetrics('1');
  metrics.observer.ended(chatRecord());
  metrics.observer.piece('tiny', 20);
  return withVllmNames(await metrics.text(state), state);
}

const VLLM = {
  queued: 'vllm:num_requests_waiting',
  running: 'vllm:num_requests_running',
  kv: 'vllm:kv_cache_usage_perc',
  cache: 'vllm:cache_config_info',
};

describe("the metrics under vLLM's names", () => {
  it('tell an endpoint picker the same as our own', async () => {
    const samples = read(await scrape());
    const ours = {
      queued: 'paddock_requests_waiting',
      running: 'paddock_requests_running',
      kv: 'paddock_kv_cache_usage_ratio',
    };
    expect(asEndpointPicker(samples, ours)).toMatchObject({ queued: 3, running: 2, kv: 0.25 });
    expect(asEndpointPicker(samples, VLLM)).toEqual({
      queued: 3,
      running: 2,
      kv: 0.25,
      block_size: '1',
      num_gpu_blocks: '400',
    });
  });

  it('are those of all models together, in one series each', async () => {
    const state = serverState({
      loaded: [loaded(), loaded({ id: 'b', heldTokens: 0 })],
      moving: [{ id: 'c', state: 'loading', waiting: 5 }],
    });
    expect(asEndpointPicker(read(await scrape(state)), VLLM)).toMatchObject({ queued: 11, running: 4, kv: 0.125 });
  });

  it('are there while no model is loaded', async () => {
    expect(asEndpointPicker(read(await scrape(serverState({ loaded: [] }))), VLLM)).toMatchObject({
      queued: 0,
      running: 0,
      kv: 0,
    });
  });

  it('say counters and histograms again, with model_name for model', async () => {
    const text = await scrape();
    const samples = read(text);
    for (const name of [
      'vllm:prompt_tokens_total',
      'vllm:generation_tokens_total',
      'vllm:time_to_first_token_seconds_count',
      'vllm:inter_token_latency_seconds_sum',
      'vllm:e2e_request_latency_seconds_count',
    ]) {
      const found = samples.filter((sample) => sample.name === name);
      expect(
        found.map(({ labels }) => labels.model_name),
        name,
      ).toEqual(['tiny']);
    }
    expect(
      samples.find(({ name, labels }) => name === 'vllm:time_to_first_token_seconds_bucket' && labels.le === '0.25'),
    ).toMatchObject({ value: 1 });
    expect(text).toContain('# TYPE vllm:time_to_first_token_seconds histogram\n');
    expect(samples.filter(({ name }) => name.startsWith('vllm:')).filter(({ labels }) => 'model' in labels)).toEqual(
      [],
    );
  });

  it('keep a name with quotes whole', async () => {
    const id = 'say "hi"\\';
    const state = serverState({ loaded: [loaded({ id })] });
    const found = read(await scrape(state)).find(({ name }) => name === VLLM.queued);
    expect(found?.labels.model_name).toBe('say \\"hi\\"\\\\');
  });
});
