import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { apiKey, chatRecord, loaded, serverState } from './fixtures.ts';

/** The tool that comes with Prometheus. */
const promtool = spawnSync('promtool', ['--version']).error === undefined;

/** Metrics of a server that has seen everything once. */
function busyMetrics() {
  const metrics = createMetrics('1.2.3');
  metrics.observer.ended(chatRecord());
  metrics.observer.piece('tiny', 20);
  metrics.pool.loaded('tiny', 1500);
  metrics.pool.loadFailed('broken');
  metrics.pool.loadGivenUp('other');
  metrics.pool.unloaded('other', 'room');
  metrics.pool.waited('tiny', 40);
  metrics.pool.engineDied('tiny');
  metrics.pool.engineStuck('tiny');
  metrics.pool.tookOver('tiny');
  metrics.pulled('ok');
  return metrics;
}

const lines = (text: string, name: string) => text.split('\n').filter((line) => line.startsWith(name));

describe('the metrics', () => {
  it('count requests by method, route, model, key and status', async () => {
    const metrics = createMetrics('1');
    metrics.observer.ended(chatRecord());
    metrics.observer.ended(chatRecord());
    metrics.observer.ended(chatRecord({ status: 429, promptTokens: 0 }));
    metrics.observer.ended(
      chatRecord({ method: 'GET', route: 'other', status: 404, key: null, trace: { requestId: 'a' } }),
    );
    const text = await metrics.text(serverState());
    expect(lines(text, 'paddock_requests_total')).toEqual([
      'paddock_requests_total{method="POST",route="/v1/chat/completions",model="tiny",key="alice",status="200"} 2',
      'paddock_requests_total{method="POST",route="/v1/chat/completions",model="tiny",key="alice",status="429"} 1',
      'paddock_requests_total{method="GET",route="other",model="",key="",status="404"} 1',
    ]);
    // A second scrape counts nothing twice.
    expect(lines(await metrics.text(serverState()), 'paddock_requests_total')).toEqual(
      lines(text, 'paddock_requests_total'),
    );
  });

  it('count tokens of prompts, of the cache and of replies by model and key', async () => {
    const metrics = createMetrics('1');
    metrics.observer.ended(chatRecord());
    metrics.observer.ended(
      chatRecord({ key: apiKey({ name: 'bob' }), promptTokens: 1, cachedTokens: 0, completionTokens: 7 }),
    );
    const text = await metrics.text(serverState());
    expect(lines(text, 'paddock_prompt_tokens_total')).toEqual([
      'paddock_prompt_tokens_total{model="tiny",key="alice"} 30',
      'paddock_prompt_tokens_total{model="tiny",key="bob"} 1',
    ]);
    expect(lines(text, 'paddock_cached_tokens_total')[0]).toBe(
      'paddock_cached_tokens_total{model="tiny",key="alice"} 10',
    );
    expect(lines(text, 'paddock_generated_tokens_total')[1]).toBe(
      'paddock_generated_tokens_total{model="tiny",key="bob"} 7',
    );
  });

  it('have the times to the first token, between tokens and of requests, in seconds', async () => {
    const text = await busyMetrics().text(serverState());
    expect(text).toContain('paddock_time_to_first_token_seconds_sum{model="tiny"} 0.2\n');
    expect(text).toContain('paddock_time_to_first_token_seconds_bucket{le="0.1",model="tiny"} 0\n');
    expect(text).toContain('paddock_time_to_first_token_seconds_bucket{le="0.25",model="tiny"} 1\n');
    expect(text).toContain('paddock_inter_token_latency_seconds_sum{model="tiny"} 0.02\n');
    expect(text).toContain('paddock_request_duration_seconds_sum{model="tiny"} 1\n');
    expect(text).toContain('paddock_queue_wait_seconds_sum{model="tiny"} 0.04\n');
    expect(text).toContain('paddock_model_load_seconds_sum{model="tiny"} 1.5\n');
  });

  it('have what happened to models, engines and pulls', async () => {
    const text = await busyMetrics().text(serverState());
    for (const line of [
      'paddock_model_loads_total{model="tiny",outcome="ok"} 1',
      'paddock_model_loads_total{model="broken",outcome="failed"} 1',
      'paddock_model_loads_total{model="other",outcome="cancelled"} 1',
      'paddock_model_unloads_total{model="other",reason="room"} 1',
      'paddock_engine_deaths_total{model="tiny"} 1',
      'paddock_watchdog_kills_total{model="tiny"} 1',
      'paddock_takeovers_total{model="tiny"} 1',
      'paddock_pulls_total{outcome="ok"} 1',
      'paddock_build_info{version="1.2.3"',
    ])
      expect(text).toContain(line);
  });

  it('have the queue, the slots, the cache and the memory of now', async () => {
    const metrics = createMetrics('1');
    const gpu = loaded({
      id: 'big',
      engine: { ...loaded().engine, backend: 'gpu' },
      busy: 0,
      waiting: 0,
      heldTokens: 0,
    });
    const moving = [{ id: 'next', state: 'queued' as const, waiting: 4 }];
    const text = await metrics.text(serverState({ loaded: [loaded(), gpu], moving, ready: false, batchRequests: 12 }));
    for (const line of [
      'paddock_requests_waiting{model="tiny"} 3',
      'paddock_requests_waiting{model="next"} 4',
      'paddock_requests_running{model="tiny"} 2',
      'paddock_kv_cache_usage_ratio{model="tiny"} 0.25',
      'paddock_slots{model="big"} 4',
      'paddock_context_length_tokens{model="tiny"} 100',
      'paddock_model_memory_bytes{model="tiny",tier="ram"} 5000',
      'paddock_model_memory_bytes{model="big",tier="vram"} 5000',
      'paddock_memory_available_bytes{tier="ram"} 9000',
      'paddock_models{state="loaded"} 2',
      'paddock_models{state="queued"} 1',
      'paddock_batch_requests_open 12',
      'paddock_ready 0',
    ])
      expect(text).toContain(`${line}\n`);
    const after = await metrics.text(serverState({ loaded: [] }));
    expect(lines(after, 'paddock_slots')).toEqual([]);
  });

  it('have a value that balancers can read even while no model is loaded', async () => {
    const text = await createMetrics('1').text(serverState({ loaded: [] }));
    for (const name of ['requests_waiting', 'requests_running', 'kv_cache_usage_ratio'])
      expect(lines(text, `paddock_${name}`)).toEqual([`paddock_${name}{model=""} 0`]);
  });

  it('make no series of what clients make up', async () => {
    const metrics = createMetrics('1');
    for (let index = 0; index < 20_000; index++)
      metrics.observer.ended(
        chatRecord({
          method: `M${index}`,
          trace: { requestId: 'a', model: `model-${index}` },
          key: apiKey({ name: `key-${index % 100}` }),
        }),
      );
    const text = await metrics.text(serverState());
    const series = lines(text, 'paddock_requests_total');
    expect(series.length).toBeLessThan(5100);
    expect(new Set(series.map((line) => /model="([^"]*)"/.exec(line)?.[1])).size).toBeLessThan(203);
    expect(new Set(series.map((line) => /method="([^"]*)"/.exec(line)?.[1]))).toEqual(new Set(['other']));
    const counted = series.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
    expect(counted).toBe(20_000);
  });

  it('are clean to promtool check metrics', async ({ skip }) => {
    skip(!promtool, 'promtool, which comes with Prometheus, is not installed');
    const input = await busyMetrics().text(serverState());
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input, encoding: 'utf8' });
    expect([status, stdout, stderr]).toEqual([0, '', '']);
  });
});
