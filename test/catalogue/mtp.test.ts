import { describe, expect, it } from 'vitest';
import { readMtp } from '../../src/catalogue/mtp.ts';
import { createFields, type GgufValue } from '../../src/gguf/fields.ts';

/** The figures of GLM-4.5-Air: 46 layers and an MTP layer, with 8 heads of 128 keys and values. */
const AIR = {
  block_count: 47,
  nextn_predict_layers: 1,
  embedding_length: 4096,
  'attention.head_count': 96,
  'attention.head_count_kv': 8,
  'attention.key_length': 128,
  'attention.value_length': 128,
};

interface Case {
  architecture?: string;
  values?: Record<string, GgufValue>;
  /** The number of layers of which the file has tensors. */
  inFile?: number;
  /** False if the file lacks the projection of the MTP layer. */
  isWhole?: boolean;
  isWanted?: boolean;
  guessed?: boolean;
}

function factsOf(given: Case) {
  const {
    architecture = 'glm4moe',
    values = {},
    inFile = 47,
    isWhole = true,
    isWanted = true,
    guessed = false,
  } = given;
  const fields = new Map(
    Object.entries({ ...AIR, ...values }).map(([name, value]) => [`${architecture}.${name}`, value]),
  );
  const layers = Array.from({ length: inFile }, (_, index) => ({
    ...{ experts: 1000, rest: 100 },
    ...(index === 46 && isWhole && { isMtp: true as const }),
  }));
  return readMtp(architecture, createFields(fields), { layers }, isWanted, guessed);
}

describe('the MTP layer of a model', () => {
  it('is used, and has keys and values of its own', () => {
    expect(factsOf({})).toEqual({ mtp: {}, mtpCachedPerToken: 8 * 2 * 128 });
  });

  it('takes no memory where a draft model guesses in its place', () => {
    expect(factsOf({ guessed: true })).toEqual({ mtp: {} });
  });

  it('has the heads of its own place in a list', () => {
    const perLayer = [...Array.from({ length: 46 }, () => 8), 4];
    expect(factsOf({ values: { 'attention.head_count_kv': perLayer } })).toMatchObject({ mtpCachedPerToken: 4 * 256 });
  });

  it.each<[string, Case]>([
    ['that its header does not name', { values: { nextn_predict_layers: 0 } }],
    ['whose tensors the file lacks', { inFile: 46 }],
    ['whose projection the file lacks', { isWhole: false }],
  ])('is none %s', (_, given) => {
    expect(factsOf(given)).toEqual({});
  });

  it.each<[string, Case, string]>([
    ['its model.json turns it off', { isWanted: false }, 'its model.json turns it off'],
    [
      'its architecture is another one',
      { architecture: 'step35' },
      'Paddock does not use that of the architecture step35',
    ],
    ['there are several', { values: { nextn_predict_layers: 3 } }, 'it has 3, and Paddock uses one alone'],
  ])('is not used where %s', (_, given, off) => {
    expect(factsOf(given)).toEqual({ mtp: { off } });
  });
});
