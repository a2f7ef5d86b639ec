import { ANY_KEY, type Facts, type Program } from './setup.ts';

/** The share of the context window that one reply of an agent may fill. The rest is for the conversation. */
const REPLY_SHARE = 1 / 4;

const base = ({ url }: Facts) => `${url}/v1`;
const keyOf = ({ key }: Facts) => key ?? ANY_KEY;
const quoted = (text: string) => JSON.stringify(text);

/** The programs by their names in `paddock connect`. Each setup follows the documentation of the program. */
export const PROGRAMS: Record<string, Program> = {
  codex: {
    title: 'Codex CLI',
    agent: true,
    setup: (facts) => ({
      ...(facts.key !== null && { variables: { PADDOCK_API_KEY: facts.key } }),
      file: { path: '.codex/config.toml', content: { format: 'text', text: codexToml(facts) } },
    }),
  },
  'claude-code': {
    title: 'Claude Code',
    agent: true,
    setup: (facts) => ({
      file: { path: '.claude/settings.json', content: { format: 'json', value: { env: claudeVariables(facts) } } },
    }),
  },
  opencode: {
    title: 'opencode',
    agent: true,
    setup: (facts) => ({
      file: { path: '.config/opencode/opencode.json', content: { format: 'json', value: opencodeSettings(facts) } },
    }),
  },
  continue: {
    title: 'Continue',
    agent: true,
    setup: (facts) => ({
      file: { path: '.continue/config.yaml', content: { format: 'text', text: continueYaml(facts) } },
    }),
  },
  cline: {
    title: 'Cline',
    agent: true,
    setup: (facts) => ({
      file: { path: '.cline/data/settings/providers.json', content: { format: 'json', value: clineProviders(facts) } },
      steps: [
        'That is for its command line. In the editor: Settings, API Provider "OpenAI Compatible", then',
        `  Base URL ${base(facts)}, API Key ${keyOf(facts)}, Model ID ${facts.model}, Context Window Size ${facts.contextLength}`,
      ],
    }),
  },
  zed: {
    title: 'Zed',
    agent: true,
    setup: (facts) => ({
      variables: {
        PADDOCK_API_KEY: keyOf(facts),
        ZED_OPEN_AI_COMPATIBLE_EDIT_PREDICTION_API_KEY: keyOf(facts),
      },
      file: { path: '.config/zed/settings.json', content: { format: 'json', value: zedSettings(facts) } },
    }),
  },
  'llama.vscode': {
    title: 'llama.vscode',
    agent: false,
    setup: (facts) => ({
      file: { path: '.config/Code/User/settings.json', content: { format: 'json', value: llamaCodeSettings(facts) } },
      steps: [
        'On macOS and Windows, add this in the editor: "Preferences: Open User Settings (JSON)".',
        NAMES_NO_MODEL,
      ],
    }),
  },
  'llama.vim': {
    title: 'llama.vim',
    agent: false,
    setup: (facts) => ({ steps: ['Add this to the configuration of Vim:', `  ${llamaVimSettings(facts)}`] }),
  },
  'open-webui': {
    title: 'Open WebUI',
    agent: false,
    setup: (facts) => ({ variables: { OPENAI_API_BASE_URL: base(facts), OPENAI_API_KEY: keyOf(facts) } }),
  },
  openai: {
    title: 'the OpenAI SDKs',
    agent: false,
    setup: (facts) => ({
      variables: { OPENAI_BASE_URL: base(facts), OPENAI_API_KEY: keyOf(facts) },
      steps: [`Then ask for the model ${quoted(facts.model)}.`],
    }),
  },
  anthropic: {
    title: "Anthropic's SDKs",
    agent: false,
    setup: (facts) => ({
      variables: { ANTHROPIC_BASE_URL: facts.url, ANTHROPIC_API_KEY: keyOf(facts) },
      steps: [`Then ask for the model ${quoted(facts.model)}.`],
    }),
  },
  ollama: {
    title: "Ollama's clients",
    agent: false,
    setup: (facts) => ({
      variables: { OLLAMA_HOST: facts.url },
      steps: [
        `Then ask for the model ${quoted(facts.model)}.`,
        ...(facts.key === null ? [] : ['They must send the key in a header: Authorization: Bearer <key>.']),
      ],
    }),
  },
};

function codexToml(facts: Facts): string {
  return [
    `model = ${quoted(facts.model)}`,
    'model_provider = "paddock"',
    `model_context_window = ${facts.contextLength}`,
    '',
    '[model_providers.paddock]',
    'name = "Paddock"',
    `base_url = ${quoted(base(facts))}`,
    'wire_api = "responses"',
    ...(facts.key === null ? [] : ['env_key = "PADDOCK_API_KEY"']),
    '',
  ].join('\n');
}

/** Claude Code sends small tasks to small models, whose default names only the servers of Anthropic know. */
function claudeVariables(facts: Facts): Record<string, string> {
  return {
    ANTHROPIC_BASE_URL: facts.url,
    ANTHROPIC_AUTH_TOKEN: keyOf(facts),
    ANTHROPIC_MODEL: facts.model,
    ANTHROPIC_DEFAULT_OPUS_MODEL: facts.model,
    ANTHROPIC_DEFAULT_SONNET_MODEL: facts.model,
    ANTHROPIC_DEFAULT_HAIKU_MODEL: facts.model,
    // Claude Code assumes a window of a million tokens for a model that it does not know.
    CLAUDE_CODE_MAX_CONTEXT_TOKENS: String(facts.contextLength),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  };
}

/** Without it, a prompt that is longer than the window gets an empty reply, which an agent can not interpret. */
const OVERFLOW = { context_overflow: 'error' };

function opencodeSettings(facts: Facts): object {
  const limit = { context: facts.contextLength, output: Math.floor(facts.contextLength * REPLY_SHARE) };
  return {
    $schema: 'https://opencode.ai/config.json',
    provider: {
      paddock: {
        npm: '@ai-sdk/openai-compatible',
        name: 'Paddock',
        options: { baseURL: base(facts), apiKey: keyOf(facts) },
        models: { [facts.model]: { name: facts.model, tool_call: true, limit, options: OVERFLOW } },
      },
    },
    model: `paddock/${facts.model}`,
  };
}

function continueYaml(facts: Facts): string {
  return [
    'name: Paddock',
    'version: 1.0.0',
    'schema: v1',
    'models:',
    `  - name: ${quoted(facts.model)}`,
    '    provider: openai',
    `    model: ${quoted(facts.model)}`,
    `    apiBase: ${quoted(base(facts))}`,
    `    apiKey: ${quoted(keyOf(facts))}`,
    '    roles: [chat, edit, apply]',
    '    capabilities: [tool_use]',
    '    defaultCompletionOptions:',
    `      contextLength: ${facts.contextLength}`,
    // This provider sends both texts around the cursor, and leaves the marks between them to the server.
    `  - name: ${quoted(`${facts.model}, autocomplete`)}`,
    '    provider: mistral',
    `    model: ${quoted(facts.model)}`,
    `    apiBase: ${quoted(base(facts))}`,
    `    apiKey: ${quoted(keyOf(facts))}`,
    '    roles: [autocomplete]',
    '',
  ].join('\n');
}

/** llama.vscode sends no model with its completions. */
const NAMES_NO_MODEL = 'Its completions come from the loaded model, and else from the first: see docs/editors.md.';

function llamaCodeSettings(facts: Facts): object {
  return {
    'llama-vscode.endpoint': facts.url,
    'llama-vscode.endpoint_chat': facts.url,
    'llama-vscode.endpoint_tools': facts.url,
    'llama-vscode.ai_api_version': 'v1',
    'llama-vscode.ai_model': facts.model,
    'llama-vscode.api_key': keyOf(facts),
  };
}

function llamaVimSettings(facts: Facts): string {
  const settings = {
    endpoint_fim: `${facts.url}/infill`,
    model_fim: facts.model,
    endpoint_inst: `${base(facts)}/chat/completions`,
    model_inst: facts.model,
    api_key: keyOf(facts),
  };
  return `let g:llama_config = ${JSON.stringify(settings)}`;
}

/** Cline ignores settings without a time. */
const SOME_TIME = '2026-01-01T00:00:00.000Z';

/** Returns the settings in the form that `cline auth openai-compatible` writes. */
function clineProviders(facts: Facts): object {
  const provider = 'openai-compatible';
  const settings = { provider, apiKey: keyOf(facts), model: facts.model, baseUrl: base(facts) };
  return {
    version: 1,
    lastUsedProvider: provider,
    providers: { [provider]: { settings, updatedAt: SOME_TIME, tokenSource: 'manual' } },
  };
}

function zedSettings(facts: Facts): object {
  const model = {
    name: facts.model,
    display_name: facts.model,
    max_tokens: facts.contextLength,
    capabilities: { tools: true, images: false, parallel_tool_calls: true, prompt_cache_key: true },
  };
  return {
    language_models: { openai_compatible: { Paddock: { api_url: base(facts), available_models: [model] } } },
    agent: { default_model: { provider: 'Paddock', model: facts.model } },
    edit_predictions: {
      provider: 'open_ai_compatible_api',
      open_ai_compatible_api: {
        api_url: `${base(facts)}/completions`,
        model: facts.model,
        prompt_format: 'infer',
        max_output_tokens: 64,
      },
    },
  };
}
