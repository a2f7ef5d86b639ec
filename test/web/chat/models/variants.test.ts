import { describe, expect, it } from 'vitest';
import type { ListedModel } from '../../../../src/contract/models/model.ts';
import { localizeCount } from '../../../../web/chat/messages/numbers.ts';
import { inEnglish } from '../../../../web/chat/messages/translate.ts';
import { arrivalOf, paceOf, shareOf, stopped, withArrivalEvent } from '../../../../web/chat/models/arrival.ts';
import { nameAmong } from '../../../../web/chat/models/model.ts';
import { bestOf, fitOf, isSource, type VariantList } from '../../../../web/chat/models/variants.ts';
import type { Health } from '../../../../web/chat/page/health.ts';

const GB = 1e9;
const health: Health = { models: [], moving: [], memory: { available: 8 * GB, held: 4 * GB } };

const offer = (sizes: Record<string, number>, named: string | null = null): VariantList => ({
  origin: 'org/repo',
  named,
  data: Object.entries(sizes).map(([source, size]) => ({ source, quantization: source, size, projector: false })),
});

describe('what a person types to find a model', () => {
  it.each([
    'org/repo',
    'org/repo:Q4_K_M',
    'hf:org/repo',
    'hf.co/org/repo',
    'https://huggingface.co/org/repo',
    'http://example.com/x.gguf',
    ' org/repo ',
  ])('is a source: %s', (text) => expect(isSource(text)).toBe(true));

  it.each(['qwen', 'qwen 3 coder', 'small / fast', 'org/', '/repo'])('is words: %s', (text) =>
    expect(isSource(text)).toBe(false),
  );
});

describe('a model and the memory of the server', () => {
  it('fits if there is room for it and its work, or if other models leave', () => {
    expect([5, 6.8, 6.9, 10.4, 10.5].map((size) => fitOf(size * GB, health))).toEqual([
      'fits',
      'fits',
      'full',
      'full',
      'too large',
    ]);
  });

  it('is not judged where the server does not tell its memory', () => {
    expect(fitOf(GB, null)).toBe('unknown');
    expect(fitOf(GB, { models: [], moving: [] })).toBe('unknown');
  });

  it('is best if it is the one that is meant, or else the largest that fits', () => {
    const sizes = { Q2: 2 * GB, Q4: 4 * GB, Q8: 8 * GB, F16: 16 * GB };
    const best = (named: string | null, state: Health | null = health) => bestOf(offer(sizes, named), state)?.source;
    expect(best('Q4')).toBe('Q4');
    expect(best('F16')).toBe('Q8');
    expect(best(null)).toBe('Q8');
    expect(best('F16', null)).toBe('F16');
    expect(best(null, null)).toBeUndefined();
    expect(bestOf(offer({ F16: 16 * GB }, 'F16'), health)).toBeNull();
  });
});

describe('the figures of a download', () => {
  it('are its share, its speed and the time that is left, and only the share once it stands still', () => {
    const begun = arrivalOf('hf:org/repo');
    expect([shareOf(begun, inEnglish), paceOf(begun, inEnglish)]).toEqual([null, '']);
    const half = withArrivalEvent(begun, {
      status: 'downloading',
      file: 'a.gguf',
      completed: 999,
      total: 1000,
      bytes_per_second: 3_100_000,
      seconds_left: 130,
    });
    // It is never all there before it is.
    expect([shareOf(half, inEnglish), paceOf(half, inEnglish)]).toEqual(['99 %', '3.1 MB/s · 2 min left']);
    const paused = stopped(half);
    expect(paused).toMatchObject({ paused: true, failure: null });
    expect([shareOf(paused, inEnglish), paceOf(paused, inEnglish)]).toEqual(['99 %', '']);
    expect(stopped(half, 'The disk is full.')).toMatchObject({ paused: false, failure: 'The disk is full.' });
  });

  it('count downloads in short', () => {
    expect([0, 950, 12_345, 1_234_567].map((count) => localizeCount(count, 'en'))).toEqual([
      '0',
      '950',
      '12.3K',
      '1.2M',
    ]);
  });
});

describe('the name of a model', () => {
  it('has its id if another one is called the same', () => {
    const models = [
      { id: 'a:Q4', name: 'Twin' },
      { id: 'a:Q8', name: 'Twin' },
      { id: 'b', name: 'Other' },
    ] as ListedModel[];
    expect(models.map((model) => nameAmong(model, models))).toEqual(['Twin (a:Q4)', 'Twin (a:Q8)', 'Other']);
    expect(nameAmong({ id: 'b', name: 'Other' }, null)).toBe('Other');
  });
});
