import { describe, expect, it } from 'vitest';
import { decodeText } from '../../../../web/chat/attachments/decode-text.ts';
import { textOfPage, textOfPages } from '../../../../web/chat/attachments/pdf-text.ts';
import {
  describeFile,
  firstLinesOf,
  pastedFile,
  type TextFile,
  tooLong,
  withFiles,
} from '../../../../web/chat/attachments/text-file.ts';
import { titleOf, type UserTurn } from '../../../../web/chat/conversation/conversation.ts';
import { fromList } from '../../../../web/chat/conversation/tree/operations.ts';
import { inEnglish } from '../../../../web/chat/messages/translate.ts';
import { toChatRequest } from '../../../../web/chat/reply/request.ts';
import { exportText } from '../../../../web/chat/transfer/export.ts';
import { importText } from '../../../../web/chat/transfer/import.ts';
import { toMarkdown } from '../../../../web/chat/transfer/markdown.ts';
import { talk } from '../window/support.ts';

const WORDS = 'Grüße aus Köln — 你好 😀\n';
const file = (name: string, text: string): TextFile => ({ name, size: text.length, text });

describe('the bytes of a text file', () => {
  const wide = (text: string, bigEndian: boolean) => {
    const bytes = Buffer.from(text, 'utf16le');
    return bigEndian ? bytes.swap16() : bytes;
  };
  it.each([
    ['UTF-8', Buffer.from(WORDS), WORDS],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${WORDS}`), WORDS],
    ['UTF-16 with a byte order mark, little-endian', wide(`\ufeff${WORDS}`, false), WORDS],
    ['UTF-16 with a byte order mark, big-endian', wide(`\ufeff${WORDS}`, true), WORDS],
    ['UTF-16 without one, little-endian', wide('plain words', false), 'plain words'],
    ['UTF-16 without one, big-endian', wide('plain words', true), 'plain words'],
    ['Latin-1', Buffer.from('Grüße aus Köln', 'latin1'), 'Grüße aus Köln'],
    ['UTF-8 that was cut off', Buffer.from(WORDS).subarray(0, -2), `${WORDS.slice(0, -3)}\ufffd`],
    ['line ends of Windows and of old Macs', Buffer.from('a\r\nb\rc'), 'a\nb\nc'],
    ['a log with colours', Buffer.from('\x1b[31mred\x1b[0m\tand\fmore'), '\x1b[31mred\x1b[0m\tand\fmore'],
    ['nothing', new Uint8Array(), ''],
  ])('are read: %s', (_, bytes, text) => {
    expect(decodeText(bytes)).toBe(text);
  });

  it.each([
    ['with zeros', Buffer.from('a\0\0\0b\0\0\0\x01')],
    ['of a compressed file', Uint8Array.from({ length: 2000 }, (_, index) => 1 + ((index * 7919) % 255))],
    ['with many control characters', Buffer.from('\x01\x02words')],
  ])('are no text if they are those of a binary file: %s', (_, bytes) => {
    expect(decodeText(bytes)).toBeNull();
  });
});

describe('a message with files', () => {
  it('has each as a block of code below its name, before the words', () => {
    expect(withFiles([file('a.py', 'print(1)'), file('notes', 'one\ntwo')], 'What is this?')).toBe(
      'File: a.py\n\n```py\nprint(1)\n```\n\nFile: notes\n\n```\none\ntwo\n```\n\nWhat is this?',
    );
    expect(withFiles([file('a.py', '1')], '')).toBe('File: a.py\n\n```py\n1\n```');
    expect(withFiles([], 'words')).toBe('words');
  });

  it('has no file that ends its own block, and no name that is more than a line', () => {
    expect(withFiles([file('a\nFile: b.md', 'x\n````\ny')], '')).toBe(
      'File: a File: b.md\n\n`````md\nx\n````\ny\n`````',
    );
    expect(() => withFiles([file('a', '` '.repeat(500_000))], '')).not.toThrow();
  });

  const turn: UserTurn = {
    role: 'user',
    id: 'u',
    text: 'Why?',
    images: [],
    files: [{ ...file('a.pdf', 'b'), pages: 2 }],
  };

  it('is sent as text, also beside pictures', () => {
    const content = (more: Partial<UserTurn>) =>
      (toChatRequest(talk({ ...turn, ...more }), 'pico').messages as { content: unknown }[])[0]?.content;
    const text = 'File: a.pdf\n\n```pdf\nb\n```\n\nWhy?';
    expect(content({})).toBe(text);
    expect(content({ images: ['data:image/png;base64,AA=='] })).toMatchObject([
      { type: 'image_url' },
      { type: 'text', text },
    ]);
  });

  it('has a title without words, survives an export and an import, and stands in the Markdown', () => {
    expect(titleOf({ ...turn, text: '' })).toBe('a.pdf');
    const tree = fromList(talk(turn));
    expect(importText(exportText(tree), 0)).toEqual(tree);
    expect(toMarkdown(talk(turn), 'A talk', inEnglish)).toContain('## You\n\nFile: a.pdf\n\n```pdf\nb\n```\n\nWhy?');
  });
});

describe('a card', () => {
  it('tells the size, the lines or pages, and the first words', () => {
    const long = file('a', `\n\n  one ${'x'.repeat(100)}\n\ntwo\n`);
    expect(describeFile(long, inEnglish)).toBe('114 B, 5 lines');
    expect(describeFile({ ...file('a', 'b'), size: 1_200_000, pages: 1 }, inEnglish)).toBe('1.2 MB, 1 page');
    expect(firstLinesOf(long)).toBe(`  one ${'x'.repeat(74)}\ntwo`);
  });

  it('of a paste has a name that no other one has', () => {
    const first = pastedFile('é\r\n', [], inEnglish);
    expect(first).toEqual({ name: 'Pasted text.txt', size: 4, text: 'é\n' });
    expect(pastedFile('b', [first.name, 'a.txt'], inEnglish).name).toBe('Pasted text 2.txt');
    expect(pastedFile('b', ['Pasted text 2.txt', first.name], inEnglish).name).toBe('Pasted text 3.txt');
  });

  it('is not made of a text that is too long, and the message names the limit', () => {
    expect(tooLong('a.log', inEnglish)).toBe(
      '“a.log” is too long: a file may have 1,000,000 characters of text at most.',
    );
  });
});

describe('the text of a PDF', () => {
  const piece = (str: string, hasEOL = false) => ({ str, hasEOL });

  it('has the lines of a page, without spaces at their ends and without gaps', () => {
    const pieces = [piece('One'), piece(' line '), piece('', true), piece('', true), piece(' ', true), piece('', true)];
    expect(textOfPage([...pieces, piece('Another')])).toBe('One line\n\nAnother');
  });

  it('says where each page begins if there are several, and is empty if none has text', () => {
    expect(textOfPages(['one'])).toBe('one');
    expect(textOfPages(['one', '', 'three'])).toBe('[Page 1]\none\n\n[Page 2]\n\n[Page 3]\nthree');
    expect(textOfPages(['', ''])).toBe('');
  });
});
