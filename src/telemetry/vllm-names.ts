import type { LoadedModel, MovingModel } from '../contract/residency.ts';
import { sum } from '../utils/sum.ts';

/** Our metrics, and the metrics of vLLM with the same meaning: https://docs.vllm.ai/en/latest/usage/metrics.html */
const SAME: Record<string, string> = {
  paddock_prompt_tokens_total: 'vllm:prompt_tokens_total',
  paddock_generated_tokens_total: 'vllm:generation_tokens_total',
  paddock_time_to_first_token_seconds: 'vllm:time_to_first_token_seconds',
  paddock_inter_token_latency_seconds: 'vllm:inter_token_latency_seconds',
  paddock_request_duration_seconds: 'vllm:e2e_request_latency_seconds',
  paddock_queue_wait_seconds: 'vllm:request_queue_time_seconds',
};

/**
 * Adds the metrics under vLLM's names, for schedulers and dashboards that know only these. A vLLM server has one model, so each gauge
 * has one series, the sum over all models.
 */
export function withVllmNames(
  text: string,
  { loaded, moving }: { loaded: LoadedModel[]; moving: MovingModel[] },
): string {
  return `${text}${renamed(text)}${gauges(loaded, moving)}`;
}

function renamed(text: string): string {
  const lines = text.split('\n').flatMap((line) => {
    const found = /^(?:# (?:HELP|TYPE) )?(\w+?)(?:_bucket|_sum|_count)?[{ ]/.exec(line);
    const name = found?.[1] ?? '';
    const theirs = SAME[name];
    return theirs ? [line.replace(name, theirs).replace(/([{,])model="/, '$1model_name="')] : [];
  });
  return `${lines.join('\n')}\n`;
}

function gauges(loaded: LoadedModel[], moving: MovingModel[]): string {
  const capacity = sum(
    loaded.map(({ engine: { slots, contextLength, cacheLength = slots * contextLength } }) => cacheLength),
  );
  const held = sum(loaded.map(({ heldTokens = 0 }) => heldTokens));
  const model = loaded.length === 1 ? (loaded[0]?.id ?? '') : '';
  const label = `model_name="${model.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
  const gauge = (name: string, help: string, labels: string, value: number) =>
    `# HELP vllm:${name} ${help}\n# TYPE vllm:${name} gauge\nvllm:${name}{${labels}} ${value}\n`;
  return [
    gauge(
      'num_requests_waiting',
      'Requests that wait.',
      label,
      sum([...loaded, ...moving].map(({ waiting }) => waiting)),
    ),
    gauge('num_requests_running', 'Slots that requests hold.', label, sum(loaded.map(({ busy }) => busy))),
    gauge(
      'kv_cache_usage_perc',
      'Share of the KV cache in use, from 0 to 1.',
      label,
      capacity > 0 ? Math.min(1, held / capacity) : 0,
    ),
    // A block is one token, since the cache is assigned token by token.
    gauge('cache_config_info', 'The size of the KV cache.', `block_size="1",num_gpu_blocks="${capacity}",${label}`, 1),
  ].join('');
}
