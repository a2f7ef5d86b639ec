import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createStopFilter, foldCase } from '../../src/chat/stop-sequences.ts';
import { anyCharacter } from '../support/any-character.ts';
import { repeats } from '../support/repeats.ts';

/** Pushes all pieces and flushes, as a generation does. */
function filter(pieces: string[], sequences: string[]) {
  const stops = createStopFilter(sequences);
  const passed = pieces.map((piece) => stops.push(piece));
  return { text: [...passed, stops.flush()].join(''), stopped: stops.stopped };
}

/** Returns the text before the stop sequence that ends first. If two end together, the longer one counts. */
function expected(text: string, sequences: string[]) {
  for (let end = 1; end <= text.length; end++) {
    const ending = sequences.filter((sequence) => text.slice(0, end).endsWith(sequence));
    if (ending.length > 0) {
      const longest = Math.max(...ending.map((sequence) => sequence.length));
      return { text: text.slice(0, end - longest), stopped: true };
    }
  }
  return { text, stopped: false };
}

function cut(text: string, points: number[]): string[] {
  const ends = points.map((point) => point % (text.length + 1)).sort((a, b) => a - b);
  return [...ends, text.length].map((end, index) => text.slice(ends[index - 1] ?? 0, end));
}

// With only three letters, stop sequences often occur, overlap and share their beginnings.
const letters = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength, maxLength });
const anyText = fc.oneof(letters(0, 40), fc.string({ unit: 'grapheme', maxLength: 20 }));
const anyStops = fc.array(fc.oneof(letters(1, 6), fc.string({ minLength: 1, maxLength: 3 })), { maxLength: 4 });
const anyCuts = fc.array(fc.nat({ max: 50 }), { maxLength: 20 });

describe('stop sequences', () => {
  it('let everything through at once if there are none', () => {
    const stops = createStopFilter([]);
    expect(stops.push('Hello')).toBe('Hello');
    expect(stops.flush()).toBe('');
    expect(stops.stopped).toBe(false);
  });

  it('hold back what may be the beginning of a stop sequence', () => {
    const stops = createStopFilter(['###']);
    expect(stops.push('one #')).toBe('one ');
    expect(stops.push('#')).toBe('');
    expect(stops.push(' two')).toBe('## two');
  });

  it('hold back nothing else', () => {
    const stops = createStopFilter(['END', 'EOF']);
    expect(stops.push('xxE')).toBe('xx');
    expect(stops.push('E')).toBe('E');
    expect(stops.push('N')).toBe('');
    expect(stops.push('E')).toBe('EN');
  });

  it('stop before the stop sequence and give nothing after it', () => {
    const stops = createStopFilter(['END']);
    expect(stops.push('textE')).toBe('text');
    expect(stops.push('ND more')).toBe('');
    expect(stops.stopped).toBe(true);
    expect(stops.push('even more')).toBe('');
    expect(stops.flush()).toBe('');
  });

  it('give the text that was held back once no more comes', () => {
    const stops = createStopFilter(['END']);
    expect(stops.push('WEEKEN')).toBe('WEEK');
    expect(stops.flush()).toBe('EN');
    expect(stops.flush()).toBe('');
    expect(stops.stopped).toBe(false);
  });

  it('stop at the sequence that comes first', () => {
    expect(filter(['one two three'], ['three', 'two'])).toEqual({ text: 'one ', stopped: true });
  });

  it('find a sequence that begins inside its own repetition', () => {
    expect(filter(['a', 'a', 'a', 'b', 'x'], ['aab'])).toEqual({ text: 'a', stopped: true });
  });

  it('stop at the sequence that ends first, even if a longer one began before it', () => {
    expect(filter(['a', 'b', 'c', 'd'], ['abcd', 'c'])).toEqual({ text: 'ab', stopped: true });
    expect(filter(['abcd'], ['abcd', 'c'])).toEqual({ text: 'ab', stopped: true });
  });

  it('give the text up to the first stop sequence, however it is cut into pieces', () => {
    fc.assert(
      fc.property(anyText, anyStops, anyCuts, (text, sequences, cuts) => {
        expect(filter(cut(text, cuts), sequences)).toEqual(expected(text, sequences));
      }),
      { numRuns: repeats(500, 4000) },
    );
  });

  it('give the same text whether it comes whole or letter by letter', () => {
    fc.assert(
      fc.property(anyText, anyStops, (text, sequences) => {
        expect(filter([text], sequences)).toEqual(filter(text.split(''), sequences));
      }),
      { numRuns: repeats(500, 4000) },
    );
  });

  it('never let a stop sequence through', () => {
    fc.assert(
      fc.property(anyText, anyStops, anyCuts, (text, sequences, cuts) => {
        const passed = filter(cut(text, cuts), sequences).text;
        expect(sequences.filter((sequence) => passed.includes(sequence))).toEqual([]);
      }),
    );
  });

  it('never hold back more than the longest stop sequence without its last letter', () => {
    fc.assert(
      fc.property(anyText, anyStops, anyCuts, (text, sequences, cuts) => {
        const stops = createStopFilter(sequences);
        const longest = Math.max(0, ...sequences.map((sequence) => sequence.length - 1));
        let [pushed, passed] = [0, 0];
        for (const piece of cut(text, cuts)) {
          pushed += piece.length;
          passed += stops.push(piece).length;
          if (!stops.stopped) expect(pushed - passed).toBeLessThanOrEqual(longest);
        }
      }),
    );
  });
});

describe('stop sequences that ignore case', () => {
  /** Pushes all pieces and flushes. */
  function filterFolded(pieces: string[], sequences: string[]) {
    const stops = createStopFilter(sequences, foldCase);
    const passed = pieces.map((piece) => stops.push(piece));
    return { text: [...passed, stops.flush()].join(''), stopped: stops.stopped };
  }

  it('stop at letters of either case and leave the case of other text alone', () => {
    expect(filterFolded(['A ', 'bAd', 'W', 'oRd', ' here'], ['BADword'])).toEqual({ text: 'A ', stopped: true });
    expect(filterFolded(['A ', 'bAd', 'W', 'oRk'], ['BADword'])).toEqual({ text: 'A bAdWoRk', stopped: false });
  });

  it.each([
    ['über', 'ÜBER'],
    ['ПРИВЕТ', 'привет'],
    ['straße', 'STRAßE'],
    ['ΟΔΟΣ', 'οδοσ'],
    ['ΟΔΟΣ ΜΟΥ', 'οδος μου'],
  ])('know other alphabets: %s is %s', (text, sequence) => {
    expect(filterFolded([`a ${text} b`], [sequence])).toEqual({ text: 'a ', stopped: true });
    expect(filterFolded([...`a ${text} b`], [sequence])).toEqual({ text: 'a ', stopped: true });
  });

  // İ gets longer in lower case, Σ has two lower cases, and 𐐀 has two UTF-16 units.
  const letters = fc.constantFrom('a', 'A', 'ß', 'İ', 'i', 'I', 'Σ', 'σ', 'ς', 'ώ', 'Ώ', '𐐀', '𐐨', '😀', ' ');
  const someText = fc.string({ unit: letters, maxLength: 30 });
  const someStops = fc.array(fc.string({ unit: letters, minLength: 1, maxLength: 4 }), { maxLength: 3 });

  it('pass the same text however it is cut into pieces', () => {
    fc.assert(
      fc.property(someText, someStops, (text, sequences) => {
        expect(filterFolded([...text], sequences)).toEqual(filterFolded([text], sequences));
      }),
      { numRuns: repeats(500, 4000) },
    );
  });

  it('fold each letter by itself, whatever the alphabet', { tags: 'slow' }, () => {
    const letters = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code));
    const wrong = letters.filter((letter) => {
      const folded = letter.toUpperCase().toLowerCase();
      return foldCase(letter) !== (folded.length === letter.length ? folded : letter);
    });
    expect(wrong).toEqual([]);
  });

  it('keep the length of every text', () => {
    fc.assert(
      fc.property(fc.oneof(someText, fc.string({ unit: anyCharacter })), (text) => {
        expect(foldCase(text)).toHaveLength(text.length);
        expect(foldCase(foldCase(text))).toBe(foldCase(text));
      }),
    );
  });
});
