import { describe, expect, it } from 'vitest';
import { parseSource } from '../../../src/catalogue/pull/source.ts';

const HUBS = ['huggingface.co', 'hub.example:8080'];
const parse = (text: string) => parseSource(text, HUBS);
const repo = { kind: 'repo', repo: 'org/repo', revision: 'main', quant: null };
const file = { kind: 'file', repo: 'org/repo', revision: 'main', path: 'a/b.gguf' };

describe('a source', () => {
  it.each([
    ['hf:org/repo', repo],
    ['  hf:org/repo\n', repo],
    ['hf:org/repo:Q4_K_M', { ...repo, quant: 'Q4_K_M' }],
    ['hf:org/repo@v1.0', { ...repo, revision: 'v1.0' }],
    ['hf:org/repo@v1.0:q8_0', { ...repo, revision: 'v1.0', quant: 'q8_0' }],
    ['hf:org/repo/a/b.gguf', file],
    ['hf:org/repo@dev/a/b.gguf', { ...file, revision: 'dev' }],
    ['hf:org/Repo-1.5_x.GGUF', { ...repo, repo: 'org/Repo-1.5_x.GGUF' }],
    ['qwen3:4b', { ...repo, repo: 'Qwen/Qwen3-4B-GGUF', quant: 'Q4_K_M' }],
    ['org/repo', repo],
    ['org/repo:Q4_K_M', { ...repo, quant: 'Q4_K_M' }],
    ['org/repo/a/b.gguf', file],
    ['huggingface.co/org/repo', repo],
    ['hub.example:8080/org/repo:Q4_K_M', { ...repo, quant: 'Q4_K_M' }],
    ['https://huggingface.co/org/repo', repo],
    ['https://huggingface.co/org/repo/', repo],
    ['https://huggingface.co/org/repo/tree/main', repo],
    ['https://huggingface.co/org/repo/blob/main/a/b.gguf', file],
    ['https://huggingface.co/org/repo/resolve/dev/a/b.gguf?download=true', { ...file, revision: 'dev' }],
    ['http://hub.example:8080/org/repo/resolve/main/a%2Fb.gguf', file],
    ['https://example.com/x/y.gguf', { kind: 'url', url: 'https://example.com/x/y.gguf' }],
    ['https://example.com/..%2f..%2fx.gguf', { kind: 'url', url: 'https://example.com/..%2f..%2fx.gguf' }],
    ['http://example.com/y.GGUF?a=b#part', { kind: 'url', url: 'http://example.com/y.GGUF?a=b' }],
  ])('%j is accepted', (text, expected) => {
    expect(parse(text)).toEqual(expected);
  });

  it.each([
    '',
    'repo',
    'org/',
    'org/repo/readme.md',
    'hf:',
    'hf:repo',
    'hf:org/repo:',
    'hf:org/repo/',
    'hf:org/repo/readme.md',
    'hf:org/..',
    'hf:../repo',
    'hf:org/repo/../../b.gguf',
    'hf:org/repo/a//b.gguf',
    'hf:org/repo/a\\b.gguf',
    'hf:org/repo/.hidden.gguf',
    'hf:org/repo:Q4/x',
    'hf:org/repo:../Q4',
    'hf:org/repo@../x',
    'hf:org/repo/a\u0000b.gguf',
    'ftp://example.com/x.gguf',
    'file:///etc/x.gguf',
    'https://',
    'https://example.com/',
    'https://example.com/model.bin',
    'https://example.com/%ff.gguf',
    `https://example.com/${'x'.repeat(300)}.gguf`,
    'https://huggingface.co/org',
    'https://huggingface.co/org/repo/blob/main/readme.md',
    'https://huggingface.co/org/repo/resolve/main/..%2F..%2Fb.gguf',
  ])('%j is refused with a list of the valid forms', (text) => {
    expect(() => parse(text)).toThrow(/^model .*hf:org\/repo:quant.*http\(s\) URL/s);
  });

  it('with a user name or password is refused, since it would be stored', () => {
    expect(() => parse('https://user:secret@example.com/x.gguf')).toThrow(/without a user name/);
    expect(() => parse('https://user:secret@example.com/x.gguf')).not.toThrow(/secret/);
  });
});
