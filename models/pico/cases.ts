import { readFileSync } from 'node:fs';

/** A question whose words and names are in no training text, and what a right answer is. */
export interface Case {
  group: 'greeting' | 'self' | 'help' | 'talk' | 'memory' | 'tools';
  /** What the user says, one message after the other; the last reply counts. */
  user: string[];
  /** Tools as a request has them. */
  tools?: object[];
  /** A call that the assistant has made already, and what came of it. */
  result?: { name: string; arguments: object; content: string };
  /** The whole reply, a regular expression in it, whatever the case, or the only call. */
  expect: { equals: string } | { pattern: string } | { call: { name: string; arguments: object } };
}

/** The 200 cases beside this file's source. */
export function readCases(path = 'models/pico/cases.json'): Case[] {
  return JSON.parse(readFileSync(path, 'utf8')) as Case[];
}
