import { inject } from 'vitest';
import { type RunningServer, startServer } from '../support/server.ts';
import { describeContract } from './suite.ts';

const API_KEY = 'contract-key';

/** Holds `paddock serve` with these flags to the contract. */
export function describeServerContract(name: string, flags: string[]): void {
  const servers: RunningServer[] = [];
  const start = async (more: string[]) => {
    const server = await startServer(['--models', inject('modelsFolder'), '--batch', '64', ...flags, ...more], {
      PADDOCK_API_KEYS: API_KEY,
      PADDOCK_LOG_LEVEL: 'warn',
      PADDOCK_CONTENT_FILTER: '%%%%',
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
    }),
    async () => {
      await Promise.all(servers.map(({ stop }) => stop()));
    },
  );
}
