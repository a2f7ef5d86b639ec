import { describe, expect, it } from 'vitest';
import type { ListedModel } from '../../../../src/contract/models/model.ts';
import {
  type Attachment,
  attachmentsOf,
  fileKindOf,
  inWords,
  kindsOf,
  meansFiles,
  namesOf,
  noText,
  refusalOf,
  sorted,
  unfit,
  withMore,
} from '../../../../web/chat/attachments/attachments.ts';
import { type Recording, titleOf, type UserTurn } from '../../../../web/chat/conversation/conversation.ts';
import { fromList } from '../../../../web/chat/conversation/tree/operations.ts';
import { inEnglish } from '../../../../web/chat/messages/translate.ts';
import { formatLength } from '../../../../web/chat/reply/figures.ts';
import { toChatRequest } from '../../../../web/chat/reply/request.ts';
import { exportText } from '../../../../web/chat/transfer/export.ts';
import { importText } from '../../../../web/chat/transfer/import.ts';
import { plainPng, silentMp3, toneWav } from '../../../kit/files/media.ts';
import { talk } from '../window/support.ts';

const MIB = 1024 ** 2;

const model = (name: string, vision: boolean, audio: boolean) =>
  ({ id: name, name, capabilities: { vision, audio } }) as ListedModel;
const [deaf, ears, eyes, both] = [
  model('Plain', false, false),
  model('Ears', false, true),
  model('Eyes', true, false),
  model('Both', true, true),
];

const PICTURE = 'data:image/png;base64,AA==';
const wav: Recording = { name: 'hello.wav', seconds: 1.5, url: 'data:audio/wav;base64,UklGRg==' };
const mp3: Recording = { name: 'hello.mp3', seconds: 61, url: 'data:audio/mpeg;base64,SUQz' };
const image: Attachment = { kind: 'image', url: PICTURE };
const sound: Attachment = { kind: 'audio', recording: wav };
const note = { kind: 'text' as const, file: { name: 'a.md', size: 4, text: 'note' } };
const said = (more: Partial<UserTurn>): UserTurn => ({ role: 'user', id: 'u', text: '', images: [], ...more });

describe('the kinds that a model takes', () => {
  it('are named in words: text goes to every model', () => {
    expect([undefined, deaf, ears, eyes, both].map((one) => namesOf(kindsOf(one), inEnglish))).toEqual([
      'files',
      'files',
      'recordings or files',
      'pictures or files',
      'pictures, recordings, or files',
    ]);
  });
});

describe('a file', () => {
  it.each([
    ['PNG', plainPng([1, 2, 3], 2), '', 'image'],
    ['WAV', toneWav(440, 0.1), '', 'audio'],
    ['MP3', silentMp3(1), '', 'audio'],
    ['WAV that calls itself a picture', toneWav(440, 0.1), 'image/png', 'audio'],
    ['picture that only the browser may know', new Uint8Array(32), 'image/heic', 'image'],
    ['PDF', Buffer.from('%PDF-1.7'), '', 'pdf'],
    ['PDF with something before it', Buffer.from('\r\n%PDF-1.7'), 'application/pdf', 'pdf'],
    ['text', Buffer.from('Hello, world'), 'text/plain', 'text'],
    ['text that begins as a BMP does', Buffer.from('BM is short for'), 'text/plain', 'text'],
    ['Ogg', Buffer.from('OggS0000000000000'), '', 'audio'],
    ['FLAC', Buffer.from('fLaC000000000000'), '', 'audio'],
    ['recording that only the browser may know', new Uint8Array(32), 'audio/x-matroska', 'audio'],
  ])('is recognised by its first bytes: %s', (_, bytes, type, kind) => {
    expect(fileKindOf(bytes, type, both)).toBe(kind);
  });

  it('is a picture in SVG for a model that sees, and a text for others', () => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"></svg>');
    expect([eyes, deaf].map((one) => fileKindOf(svg, 'image/svg+xml', one))).toEqual(['image', 'text']);
  });

  it('is accepted up to 21 MB, by a model that takes its kind', () => {
    const file = { name: 'a.png', size: 20 * MIB };
    expect(refusalOf('image', file, eyes, inEnglish)).toBeNull();
    expect(refusalOf('audio', file, ears, inEnglish)).toBeNull();
    expect(refusalOf('image', { ...file, size: 20 * MIB + 1 }, eyes, inEnglish)).toMatch(
      /“a\.png” is too large.* 21 MB/,
    );
  });

  it('of text is accepted up to 4 MB, and a PDF up to 50 MB, by every model', () => {
    const file = (size: number) => ({ name: 'a', size });
    expect([refusalOf('text', file(4e6), deaf, inEnglish), refusalOf('pdf', file(50e6), deaf, inEnglish)]).toEqual([
      null,
      null,
    ]);
    expect(refusalOf('text', file(4e6 + 1), both, inEnglish)).toBe('“a” is too large: a file may have 4 MB at most.');
    expect(refusalOf('pdf', file(50e6 + 1), both, inEnglish)).toBe('“a” is too large: a file may have 50 MB at most.');
  });

  it('is refused with a message that names it and the model', () => {
    const file = { name: 'a.b', size: 1 };
    expect(refusalOf('image', file, ears, inEnglish)).toBe('Ears takes no pictures. “a.b” is not attached.');
    expect(refusalOf('audio', file, eyes, inEnglish)).toBe('Eyes takes no recordings. “a.b” is not attached.');
    expect(refusalOf('image', file, undefined, inEnglish)).toMatch(/no model yet/);
  });

  it('that is no text is refused by what it is, if that is known', () => {
    expect(noText('a.zip', Buffer.from('PK\x03\x04'), inEnglish)).toMatch(
      /^“a\.zip” is a file of the type ZIP: only text, code/,
    );
    expect(noText('a.bin', new Uint8Array(9), inEnglish)).toMatch(/^“a\.bin” is not a text: only text, code, PDF/);
  });
});

describe('attachments', () => {
  it('keep their order, each once', () => {
    expect(withMore([image, sound], [sound, { kind: 'audio', recording: mp3 }, image])).toEqual([
      image,
      sound,
      { kind: 'audio', recording: mp3 },
    ]);
    expect(sorted([sound, note, image])).toEqual({ images: [PICTURE], recordings: [wav], files: [note.file] });
  });

  it('of text count twice if the name or the words differ', () => {
    const named = { ...note, file: { ...note.file, name: 'b.md' } };
    const changed = { ...note, file: { ...note.file, text: 'other' } };
    expect(withMore([note], [note, named, changed])).toEqual([note, named, changed]);
  });

  it('of a turn are what was attached to it', () => {
    const all = [image, sound, note];
    expect(attachmentsOf(said(sorted(all)))).toEqual(all);
    expect(attachmentsOf(said({}))).toEqual([]);
  });

  it('are counted in words', () => {
    expect(inWords([], inEnglish)).toBe('');
    expect(inWords([sound, image, { kind: 'image', url: 'another' }], inEnglish)).toBe(
      '2 pictures and 1 recording attached.',
    );
    expect(inWords([note], inEnglish)).toBe('1 file attached.');
  });

  it('stay attached to a model that takes them, and are refused by another one', () => {
    expect(unfit([image, sound], both, inEnglish)).toBeNull();
    expect(unfit([note], deaf, inEnglish)).toBeNull();
    expect(unfit([], undefined, inEnglish)).toBeNull();
    expect(unfit([image, sound], eyes, inEnglish)).toMatch(/^Eyes takes no recordings\. .*choose another model/);
  });
});

describe('a clipboard', () => {
  it.each([
    ['a picture of a page', ['text/html', 'Files'], true],
    ['a file of a folder, with its name', ['text/plain', 'Files'], true],
    ['words of a word processor, with a picture of them', ['text/plain', 'text/html', 'Files'], false],
    ['words', ['text/plain'], false],
  ])('with %s', (_, types, files) => {
    expect(meansFiles(types)).toBe(files);
  });
});

describe('a turn with recordings', () => {
  const turn = said({ images: [PICTURE], recordings: [wav, mp3], text: 'Compare.' });
  const conversation = talk(turn);

  it('is sent as image_url and input_audio parts before the text', () => {
    expect(toChatRequest(conversation, 'both').messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: PICTURE } },
          { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
          { type: 'input_audio', input_audio: { data: 'SUQz', format: 'mp3' } },
          { type: 'text', text: 'Compare.' },
        ],
      },
    ]);
  });

  it('gives its title to a conversation without words', () => {
    expect(titleOf(said({ recordings: [wav] }))).toBe('A recording');
  });

  it('survives export and import, as does one without recordings', () => {
    for (const tree of [fromList(conversation), fromList(talk(said({ text: 'a' })))]) {
      expect(importText(exportText(tree), 0)).toEqual(tree);
    }
  });

  it.each(['https://example.org/a.wav', 'data:text/html;base64,AA==', 'data:audio/wav;base64,A"A'])(
    'is refused in an export with a recording at %s',
    (url) => {
      const bad = fromList(talk(said({ recordings: [{ ...wav, url }] })));
      expect(() => importText(exportText(bad), 0)).toThrow(/messages\.0\.turn\.value\.recordings\.0\.url/);
    },
  );

  it('shows lengths as players do', () => {
    expect([0.4, 9.6, 65, 1800].map(formatLength)).toEqual(['0:00', '0:10', '1:05', '30:00']);
  });
});
