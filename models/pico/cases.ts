import { readFileSync } from 'node:fs';

/** A question that no training text contains, and the answer that counts as correct. */
export interface Case {
  group: string;
  /** The user's messages. The reply to the last one is judged. */
  user: string[];
  /** The request's tools. */
  tools?: object[];
  /** A call that the assistant has made already, and its result. */
  result?: { name: string; arguments: object; content: string };
  /** The whole reply, a regular expression that matches somewhere in any case, or the only call. */
  expect: { equals: string } | { pattern: string } | { call: { name: string; arguments: object } };
}

export const CASES = 'models/pico/cases.json';
/** Questions whose answers were wrong in an earlier version: about keys, the port and the browser. */
export const MENDED_CASES = 'models/pico/mended-cases.json';

/** Reads cases from a path relative to the root of the repository. */
export function readCases(path: string = CASES): Case[] {
  return JSON.parse(readFileSync(path, 'utf8')) as Case[];
}
