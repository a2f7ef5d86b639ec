import { type FileHandle, open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { parseObject } from '../../utils/json.ts';

/**
 * The file of a copy holds the state of a sequence as llama.cpp writes it, and after it Paddock's record:
 *
 *   state | token ids, 4 bytes each | JSON of CopyFacts | bytes of the JSON (4) | tokens (4) | CRC-32 of all before it (4) | MARK (8)
 */
const MARK = Buffer.from('PDKCOPY1');
const FOOTER_BYTES = 20;
const CHUNK_BYTES = 1024 * 1024;
const MOST_FACT_BYTES = 4096;

/** The facts in a file's record besides the tokens. */
export interface CopyFacts {
  /** The hash of model file, engine and settings. */
  identity: string;
  /** The model's id, for people. */
  model: string;
  /** The API key whose requests may load the copy; empty if all may. */
  scope: string;
  /** The time for evaluating the tokens again, in ms. */
  evaluateMs: number;
}

/** The record of a copy's file. */
export interface CopyRecord {
  facts: CopyFacts;
  tokens: Uint32Array;
}

/** Appends the record to a file that holds a state. Returns the size of the whole file in bytes. Throws if it can't be written. */
export async function seal(path: string, { facts, tokens }: CopyRecord): Promise<number> {
  const file = await open(path, 'r+');
  try {
    const { size } = await file.stat();
    const json = Buffer.from(JSON.stringify(facts));
    const footer = Buffer.alloc(FOOTER_BYTES);
    footer.writeUInt32LE(json.length, 0);
    footer.writeUInt32LE(tokens.length, 4);
    const record = Buffer.concat([Buffer.from(tokens.buffer, tokens.byteOffset, tokens.byteLength), json]);
    const sum = crc32(footer.subarray(0, 8), crc32(record, await sumOf(file, size)));
    footer.writeUInt32LE(sum, 8);
    MARK.copy(footer, 12);
    await file.write(Buffer.concat([record, footer]), 0, null, size);
    return size + record.length + FOOTER_BYTES;
  } finally {
    await file.close();
  }
}

/** Returns the most bytes that `seal` adds to a state of this many tokens. */
export function recordBytes(tokens: number): number {
  return 4 * tokens + MOST_FACT_BYTES + FOOTER_BYTES;
}

/** Reads the record of a file; null if the file has none or can't be read. Does not check the state. */
export async function readRecord(path: string): Promise<CopyRecord | null> {
  return withFile(path, async (file) => {
    const { size } = await file.stat();
    const footer = await read(file, size - FOOTER_BYTES, FOOTER_BYTES);
    if (!footer.subarray(12).equals(MARK)) return null;
    const jsonBytes = footer.readUInt32LE(0);
    const tokenBytes = 4 * footer.readUInt32LE(4);
    const start = size - FOOTER_BYTES - jsonBytes - tokenBytes;
    if (start < 0 || jsonBytes > MOST_FACT_BYTES) return null;
    const facts = factsFrom(await read(file, start + tokenBytes, jsonBytes));
    const tokens = await read(file, start, tokenBytes);
    return facts && { facts, tokens: new Uint32Array(Uint8Array.from(tokens).buffer) };
  });
}

/** True if the file has not changed since `seal`, by its checksum. */
export async function isIntact(path: string): Promise<boolean> {
  const whole = await withFile(path, async (file) => {
    const { size } = await file.stat();
    const footer = await read(file, size - FOOTER_BYTES, FOOTER_BYTES);
    if (!footer.subarray(12).equals(MARK)) return false;
    return (await sumOf(file, size - FOOTER_BYTES + 8)) === footer.readUInt32LE(8);
  });
  return whole === true;
}

async function withFile<T>(path: string, work: (file: FileHandle) => Promise<T | null>): Promise<T | null> {
  try {
    const file = await open(path, 'r');
    try {
      return await work(file);
    } finally {
      await file.close();
    }
  } catch {
    // A file that is missing, cut or unreadable is no copy.
    return null;
  }
}

async function read(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  if (position < 0) throw new Error('the file is too short');
  const { bytesRead } = await file.read(buffer, 0, length, position);
  if (bytesRead < length) throw new Error('the file is too short');
  return buffer;
}

async function sumOf(file: FileHandle, length: number): Promise<number> {
  const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, Math.max(1, length)));
  let sum = 0;
  for (let position = 0; position < length; ) {
    const wanted = Math.min(chunk.length, length - position);
    const { bytesRead } = await file.read(chunk, 0, wanted, position);
    if (bytesRead === 0) throw new Error('the file is too short');
    sum = crc32(chunk.subarray(0, bytesRead), sum);
    position += bytesRead;
  }
  return sum;
}

function factsFrom(json: Buffer): CopyFacts | null {
  const { identity, model, scope, evaluateMs } = parseObject(json.toString('utf8')) ?? {};
  const known = typeof identity === 'string' && typeof model === 'string' && typeof scope === 'string';
  return known && typeof evaluateMs === 'number' ? { identity, model, scope, evaluateMs } : null;
}
