import type { SettingName } from '../../serve/config/settings.ts';

/** The headings of `paddock serve --help`, with their settings. Every setting is in one of them. */
export const HELP_GROUPS: Record<string, SettingName[]> = {
  'Where it listens:': ['host', 'port', 'socket', 'tlsCert', 'tlsKey'],
  'Models:': ['models', 'alias', 'preload', 'maxLoadedModels', 'idleTimeout', 'allowPrivateSources'],
  'What computes, and how:': [
    'backend',
    'threads',
    'slots',
    'ctxLen',
    'batch',
    'kvType',
    'gpuLayers',
    'cpuMoe',
    'nCpuMoe',
    'splitMode',
    'tensorSplit',
    'mainGpu',
    'flashAttention',
    'oneByOne',
    'stockKernels',
  ],
  'Cached prompts:': ['noCache', 'cacheRam', 'cacheDisk', 'isolateKeys'],
  'Who may ask:': ['apiKey', 'apiKeyFile', 'keys', 'noAuth', 'corsOrigin', 'localPages', 'allowedHost'],
  'Limits of requests:': ['queue', 'bodyLimit', 'mediaLimit', 'allowPrivateMedia', 'contentFilter', 'noBatches'],
  'Tools that it runs:': ['mcp'],
  'Logs and metrics:': ['logLevel', 'logFormat', 'logPrompts', 'openMetrics', 'vllmMetrics', 'otlpEndpoint'],
  'Shutdown:': ['lameDuck', 'shutdownGrace'],
};
