import { describe, expect, it } from 'vitest';
import { parseForm } from '../../../src/api/http/multipart.ts';
import { ApiError } from '../../../src/contract/errors.ts';

const TYPE = 'multipart/form-data; boundary=xyz';

async function parse(body: string | Uint8Array, type = TYPE) {
  const bytes = typeof body === 'string' ? Buffer.from(body, 'latin1') : body;
  const parts = await parseForm({ headers: { 'content-type': type }, bytes: async () => bytes });
  return parts.map(({ name, isFile, bytes: value }) => [name, isFile, Buffer.from(value).toString('latin1')]);
}

async function refusal(body: string, type = TYPE) {
  const error = await parse(body, type).catch((thrown: unknown) => thrown);
  if (!(error instanceof ApiError)) throw new Error('the form was taken');
  return error.data;
}

const field = (name: string, value: string, more = '') =>
  `--xyz\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;

describe('a form', () => {
  it('has its fields in order, with the bytes of files as they are', async () => {
    const file = '\0\xff\r\n--xy\r\n\r\r\n--xyzz';
    const body = `${field('model', 'ear')}${field('file', file, '; filename="a.wav"')}${field('empty', '')}--xyz--\r\n`;
    await expect(parse(body)).resolves.toEqual([
      ['model', false, 'ear'],
      ['file', true, file],
      ['empty', false, ''],
    ]);
  });

  it('is read as fetch writes it', async () => {
    const form = new FormData();
    form.append('a "b"', 'c\r\nd');
    form.append('file', new Blob([Uint8Array.of(13, 10, 0, 255)]), 'ä.wav');
    const request = new Request('http://127.0.0.1', { method: 'POST', body: form });
    const type = request.headers.get('content-type') ?? '';
    await expect(parse(new Uint8Array(await request.arrayBuffer()), type)).resolves.toEqual([
      ['a "b"', false, 'c\r\nd'],
      ['file', true, '\r\n\0\xff'],
    ]);
  });

  it('may have a preamble, names without quotes and other headers', async () => {
    const body = 'Hello\r\n--xyz\r\nX: y\r\ncontent-disposition: form-data; filename=f; name=a\r\n\r\n1\r\n--xyz--';
    await expect(parse(body)).resolves.toEqual([['a', true, '1']]);
  });

  it.each([
    ['of another type', field('a', '1'), 'application/json', 415, 'unsupported_media_type'],
    ['without a boundary', field('a', '1'), 'multipart/form-data', 400, 'invalid_form'],
    ['that is empty', '', TYPE, 400, 'invalid_form'],
    ['that is cut off', field('a', '1'), TYPE, 400, 'invalid_form'],
    [
      'with a field without a name',
      '--xyz\r\nContent-Disposition: form-data\r\n\r\n1\r\n--xyz--',
      TYPE,
      400,
      'invalid_form',
    ],
    ['with a field without headers', '--xyz\r\n1\r\n--xyz--', TYPE, 400, 'invalid_form'],
    ['of many fields', `${field('a', '1').repeat(65)}--xyz--`, TYPE, 400, 'too_many_fields'],
  ])('%s is refused', async (_, body, type, status, code) => {
    await expect(refusal(body, type)).resolves.toMatchObject({ status, code });
  });

  it('of line breaks alone is refused', async () => {
    await expect(refusal('\r\n'.repeat(500_000))).resolves.toMatchObject({ code: 'invalid_form' });
  });
});
