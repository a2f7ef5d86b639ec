import { PROGRAMS } from '../../../src/cli/connect/programs.ts';
import type { Facts, Setup } from '../../../src/cli/connect/setup.ts';

/** A coding agent of the trial. */
export interface Agent {
  name: string;
  /** The npm package with the version. */
  package: string;
  version: string;
  /** The API that the agent uses. */
  api: string;
  bin: string;
  /** Returns the arguments by which the agent works on one task without questions. */
  args: (task: string, facts: Facts) => string[];
  /** Returns the settings by which the agent uses the server: those of `paddock connect` if it supports the agent. */
  setup: (facts: Facts) => Setup;
}

const connected = (name: string) => (facts: Facts) => PROGRAMS[name]?.setup(facts) ?? {};

export const AGENTS: Agent[] = [
  {
    name: 'Codex',
    package: '@openai/codex',
    version: '0.169.0',
    api: '/v1/responses',
    bin: 'codex',
    args: (task) => ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', task],
    setup: connected('codex'),
  },
  {
    name: 'Claude Code',
    package: '@anthropic-ai/claude-code',
    version: '2.1.330',
    api: '/v1/messages',
    bin: 'claude',
    args: (task) => ['-p', task, '--allowedTools', 'Bash', '--max-turns', '60'],
    setup: connected('claude-code'),
  },
  {
    name: 'opencode',
    package: 'opencode-ai',
    version: '1.18.33',
    api: '/v1/chat/completions',
    bin: 'opencode',
    args: (task) => ['run', task],
    setup: connected('opencode'),
  },
  {
    name: 'Continue',
    package: '@continuedev/cli',
    version: '1.5.47',
    api: '/v1/chat/completions',
    bin: 'cn',
    args: (task) => ['-p', task, '--auto'],
    setup: connected('continue'),
  },
  {
    name: 'Qwen Code',
    package: '@qwen-code/qwen-code',
    version: '0.24.4',
    api: '/v1/chat/completions',
    bin: 'qwen',
    args: (task) => ['-p', task, '--yolo', '--auth-type', 'openai'],
    setup: ({ url, key, model }) => ({
      variables: { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: key ?? 'none', OPENAI_MODEL: model },
    }),
  },
  {
    name: 'pi',
    package: '@mariozechner/pi-coding-agent',
    version: '0.73.1',
    api: '/v1/chat/completions',
    bin: 'pi',
    args: (task, { model }) => ['-p', '--provider', 'paddock', '--model', model, task],
    setup: (facts) => ({
      file: { path: '.pi/agent/models.json', content: { format: 'json', value: piModels(facts) } },
    }),
  },
  {
    name: 'Cline',
    package: 'cline',
    version: '3.0.65',
    api: '/v1/chat/completions',
    bin: 'cline',
    args: (task) => ['--provider', 'openai-compatible', task],
    setup: connected('cline'),
  },
];

function piModels({ url, key, model, contextLength }: Facts): object {
  const entry = {
    id: model,
    name: model,
    contextWindow: contextLength,
    maxTokens: 8192,
    input: ['text'],
    reasoning: false,
  };
  return {
    providers: {
      paddock: { baseUrl: `${url}/v1`, api: 'openai-completions', apiKey: key ?? 'none', models: [entry] },
    },
  };
}
