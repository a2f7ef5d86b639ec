import { describe, expect, it } from 'vitest';
import { PROGRAMS } from '../../../src/cli/connect/programs.ts';
import { formatSettingsFile } from '../../../src/cli/connect/settings-file.ts';
import type { Facts } from '../../../src/cli/connect/setup.ts';
import { agentWarnings } from '../../../src/cli/connect/warnings.ts';

const facts: Facts = { url: 'http://127.0.0.1:1337', key: 's3cret', model: 'org/a "b"', contextLength: 40_960 };

describe.each(Object.entries(PROGRAMS))('what %s needs', (_, { setup }) => {
  /** All that its user gets to see, as one text. */
  const shown = (of: Facts) => {
    const { variables = {}, file, steps = [] } = setup(of);
    return [JSON.stringify(variables), file ? formatSettingsFile(file.content) : '', ...steps].join('\n');
  };

  it('has the address of the server and the key', () => {
    expect(shown(facts)).toContain('http://127.0.0.1:1337');
    expect(shown(facts)).toMatch(/s3cret|<key>/);
  });

  it('has no key where the server needs none', () => {
    expect(shown({ ...facts, key: null })).not.toContain('s3cret');
  });

  it('stays within the home of its user', () => {
    expect(setup(facts).file?.path ?? '.a').toMatch(/^\.[^/]/);
  });
});

describe('a model whose name has quotes', () => {
  it('is quoted in files that are no JSON', () => {
    for (const name of ['codex', 'continue']) {
      const { file } = PROGRAMS[name]?.setup(facts) ?? {};
      expect(file && formatSettingsFile(file.content)).toContain('"org/a \\"b\\""');
    }
  });
});

describe('the warnings for an agent', () => {
  const able = { model: 'm', contextLength: 32_768, trainedContextLength: 32_768, tools: true };

  it('are none for a model with a long window and tools', () => {
    expect(agentWarnings(able)).toEqual([]);
  });

  it('name the flag that makes a short window longer', () => {
    expect(agentWarnings({ ...able, contextLength: 8192 })).toEqual([expect.stringContaining('--ctx-len 32768')]);
  });

  it('ask for another model if it was trained with a short window, or its template shows no tools', () => {
    const warnings = agentWarnings({ ...able, contextLength: 1024, trainedContextLength: 1024, tools: false });
    expect(warnings).toEqual([expect.stringContaining('another model'), expect.stringContaining('shows no tools')]);
  });
});
