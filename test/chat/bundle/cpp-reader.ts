import { type Token, tokenize } from './cpp-tokens.ts';

/** A value of the small part of C++ that llama.cpp's tests of replies are written in. A braced list is an array. */
export type Value = string | number | boolean | null | Value[] | CppObject;

/** A value with fields and methods. */
export interface CppObject {
  fields: Record<string, Value>;
  call?: (method: string, args: Value[]) => Value;
}

export type CppFunction = (args: Value[]) => Value;

class Unreadable extends Error {}

/** Reads declarations and statements, and keeps the values of names. A statement that it can't read is skipped. */
export class CppReader {
  readonly #names = new Map<string, Value>();
  readonly #functions: Record<string, CppFunction>;
  #tokens: Token[] = [];
  #at = 0;

  constructor(functions: Record<string, CppFunction>) {
    this.#functions = functions;
  }

  /** Reads a block of statements. */
  run(tokens: Token[]): void {
    const outer = { tokens: this.#tokens, at: this.#at };
    for (const statement of statements(tokens)) {
      try {
        this.#tokens = statement;
        this.#at = 0;
        this.#statement();
      } catch (error) {
        if (!(error instanceof Unreadable)) throw error;
      }
    }
    this.#tokens = outer.tokens;
    this.#at = outer.at;
  }

  /** Returns the value of a name that was declared; undefined if there is none. */
  valueOf(name: string): Value | undefined {
    return this.#names.get(name);
  }

  #statement(): void {
    const tokens = this.#tokens;
    const name = declaredName(tokens);
    if (isMark(tokens[0], '{')) this.run(tokens.slice(1, -1));
    else if (isName(tokens[0], 'for')) this.#loop();
    else if (name === undefined) this.#assignment();
    else this.#declaration(name);
  }

  #declaration(name: { value: string; at: number }): void {
    this.#at = name.at + 1;
    this.#names.set(name.value, this.#initialValue());
  }

  #initialValue(): Value {
    if (this.#takeMark('=') || isMark(this.#tokens[this.#at], '{')) return this.#expression();
    return { fields: {} };
  }

  /** Reads an expression for its effect, or sets a field. */
  #assignment(): void {
    const value = this.#expression();
    if (!this.#takeMark('=')) return;
    const target = this.#tokens.slice(0, this.#at - 1);
    const [object, field] = [this.#names.get(String(target[0]?.value)), target[2]];
    const right = this.#expression();
    if (target.length !== 3 || field?.kind !== 'name' || !isCppObject(object)) throw new Unreadable(String(value));
    object.fields[field.value] = right;
  }

  /** Reads `for (type name : list) { ... }`. */
  #loop(): void {
    const colon = this.#tokens.findIndex((token) => isMark(token, ':'));
    const name = this.#tokens[colon - 1];
    if (name?.kind !== 'name') throw new Unreadable('for');
    this.#at = colon + 1;
    const list = this.#expression();
    if (!this.#takeMark(')') || !Array.isArray(list)) throw new Unreadable('for');
    const body = this.#tokens.slice(this.#at);
    for (const value of list) {
      this.#names.set(name.value, value);
      this.run(body);
    }
  }

  #expression(): Value {
    let value = this.#operand();
    while (this.#takeMark('+')) value = `${String(value)}${String(this.#operand())}`;
    return value;
  }

  #operand(): Value {
    let value = this.#primary();
    while (this.#takeMark('.')) {
      const member = this.#tokens[this.#at++];
      if (member?.kind !== 'name') throw new Unreadable('member');
      if (this.#takeMark('(')) value = callMethod(value, member.value, this.#list(')'));
      else value = isCppObject(value) ? (value.fields[member.value] ?? null) : null;
    }
    return value;
  }

  #primary(): Value {
    const token = this.#tokens[this.#at++];
    if (token?.kind === 'text' || token?.kind === 'number') return token.value;
    if (token?.kind === 'name') return this.#named(token.value);
    if (isMark(token, '{')) return this.#list('}');
    if (!isMark(token, '(')) throw new Unreadable(String(token?.value));
    const value = this.#expression();
    if (!this.#takeMark(')')) throw new Unreadable('(');
    return value;
  }

  #named(name: string): Value {
    if (name === 'true' || name === 'false') return name === 'true';
    const call = this.#functions[name];
    if (call && this.#takeMark('(')) return call(this.#list(')'));
    const value = this.#names.get(name);
    if (value !== undefined) return value;
    if (/^[A-Z_]+$/.test(name)) return name;
    throw new Unreadable(name);
  }

  #list(close: string): Value[] {
    const values: Value[] = [];
    while (!this.#takeMark(close)) {
      values.push(this.#expression());
      if (!this.#takeMark(',') && !isMark(this.#tokens[this.#at], close)) throw new Unreadable(close);
    }
    return values;
  }

  #takeMark(mark: string): boolean {
    const isNext = isMark(this.#tokens[this.#at], mark);
    if (isNext) this.#at += 1;
    return isNext;
  }
}

export function isCppObject(value: Value | undefined): value is CppObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the tokens of a function's body; none if there is no such function. */
export function functionBody(tokens: Token[], name: string): Token[] {
  const at = tokens.findIndex((token, index) => isName(token, name) && isMark(tokens[index + 1], '('));
  const begin = tokens.findIndex((token, index) => index > at && isMark(token, '{'));
  return at < 0 ? [] : tokens.slice(begin + 1, closing(tokens, begin));
}

export function tokensOf(source: string): Token[] {
  return tokenize(source);
}

function callMethod(value: Value, method: string, args: Value[]): Value {
  if (Array.isArray(value) && method === 'push_back') return value.push(...args);
  if (!isCppObject(value) || !value.call) throw new Unreadable(method);
  return value.call(method, args);
}

/** Splits a block into statements, without their semicolons. A block in braces is one, and so is a loop with its body. */
function statements(tokens: Token[]): Token[][] {
  const found: Token[][] = [];
  let begin = 0;
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at];
    if (isMark(token, ';')) {
      found.push(tokens.slice(begin, at));
      begin = at + 1;
    } else if (isMark(token, '{') || isMark(token, '(')) {
      // The braces of a value follow a name or stand within parentheses; those of a body follow `)`, or nothing.
      const isBody = isMark(token, '{') && (at === begin || isMark(tokens[at - 1], ')'));
      at = closing(tokens, at);
      if (!isBody) continue;
      found.push(tokens.slice(begin, at + 1));
      begin = at + 1;
    }
  }
  return found.filter(({ length }) => length > 0);
}

/** Returns the index of the bracket that closes the one at `begin`. */
function closing(tokens: Token[], begin: number): number {
  let depth = 0;
  for (let at = begin; at < tokens.length; at++) {
    const token = tokens[at];
    if (token?.kind !== 'mark') continue;
    if ('({['.includes(token.value)) depth += 1;
    if (')}]'.includes(token.value)) depth -= 1;
    if (depth === 0) return at;
  }
  return tokens.length;
}

/** Finds the name in `type name = value`, `type name{...}` and `type name`. */
function declaredName(tokens: Token[]): { value: string; at: number } | undefined {
  const end = tokens.findIndex(({ kind, value }) => kind === 'mark' && '={(.'.includes(value));
  const at = (end < 0 ? tokens.length : end) - 1;
  const [name, before] = [tokens[at], tokens[at - 1]];
  const isDeclared =
    name?.kind === 'name' && (before?.kind === 'name' || (before && '*&>'.includes(`${before.value}`)));
  return isDeclared && !isMark(tokens[end], '(') && !isMark(tokens[end], '.') ? { value: name.value, at } : undefined;
}

function isMark(token: Token | undefined, mark: string): boolean {
  return token?.kind === 'mark' && token.value === mark;
}

function isName(token: Token | undefined, name: string): boolean {
  return token?.kind === 'name' && token.value === name;
}
