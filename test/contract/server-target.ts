import { inject } from 'vitest';
import { type RunningServer, startServer } from '../support/server.ts';
import { describeContract } from './suite.ts';

const API_KEY = 'contract-key';

/** What no engine does yet. */
const UNSUPPORTED = {
  n: 2,
  tools: [{ type: 'function', function: { name: 'f' } }],
  response_format: { type: 'json_object' },
  logprobs: true,
  top_logprobs: 2,
  reasoning_effort: 'low',
};

/** Holds `paddock serve` with these flags to the contract. `unsupported` is what this engine lacks beyond the others. */
export function describeServerContract(name: string, flags: string[], unsupported: Record<string, unknown> = {}): void {
  const servers: RunningServer[] = [];
  const start = async (more: string[]) => {
    const server = await startServer(['--models', inject('modelsFolder'), '--batch', '64', ...flags, ...more], {
      PADDOCK_API_KEYS: API_KEY,
      PADDOCK_LOG_LEVEL: 'warn',
    });
    servers.push(server);
    return server.url;
  };
  describeContract(
    name,
    async () => ({
      url: await start([]),
      smallUrl: await start(['--slots', '1', '--queue', '1']),
      apiKey: API_KEY,
      unsupported: { ...UNSUPPORTED, ...unsupported },
    }),
    async () => {
      await Promise.all(servers.map(({ stop }) => stop()));
    },
  );
}
