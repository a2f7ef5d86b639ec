import { inject } from 'vitest';
import { type RunningServer, startServer } from '../kit/servers/server.ts';
import { type Contract, describeContract } from './suite.ts';

const API_KEY = 'contract-key';

/** Runs the contract suite, or this part of it, against `paddock serve` with these flags. */
export function describeServerContract(
  name: string,
  flags: string[],
  seeds: number,
  {
    env = {},
    contract,
    impossible = {},
    gpu = false,
  }: {
    env?: Record<string, string>;
    contract?: Contract;
    impossible?: Record<string, string>;
    gpu?: boolean;
  } = {},
): void {
  const servers: RunningServer[] = [];
  const start = async (more: string[]) => {
    // The web server of the suite's images is on this machine.
    const common = ['--models', inject('modelsFolder'), '--batch', '64', '--allow-private-media'];
    const server = await startServer([...common, ...flags, ...more], {
      PADDOCK_API_KEYS: API_KEY,
      PADDOCK_LOG_LEVEL: 'warn',
      PADDOCK_CONTENT_FILTER: '%%%%',
      ...env,
    });
    servers.push(server);
    return server.url;
  };
  describeContract(
    name,
    async () => {
      const url = await start([]);
      const smallUrl = await start(['--slots', '1', '--queue', '1']);
      return { url, audioUrl: url, smallUrl, apiKey: API_KEY, seeds, gpu };
    },
    async () => {
      await Promise.all(servers.map(({ stop }) => stop()));
    },
    impossible,
    contract,
  );
}
