import { consume, type Input, type Reading } from './reading.ts';

const SCALAR = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)$/;

/**
 * Reads one JSON object or array and returns its text. Returns undefined as soon as the text can't be one; `taken` then
 * has what was read up to there.
 */
export function* readJson(input: Input): Reading<string | undefined> {
  let text = '';
  const whole = yield* passJson(input, (piece) => {
    text += piece;
  });
  return whole ? text : undefined;
}

/** Like `readJson`, but passes the text on as it comes. Returns true if the value is complete. */
export function* passJson(input: Input, pass: (text: string) => void): Reading<boolean> {
  const scanner = new JsonScanner();
  for (;;) {
    for (let index = 0; index < input.rest.length; index++) {
      const state = scanner.push(input.rest.charAt(index));
      if (state === 'more') continue;
      pass(consume(input, state === 'end' ? index + 1 : index));
      return state === 'end';
    }
    pass(consume(input, input.rest.length));
    if (input.ended) return false;
    yield;
  }
}

/** Returns the members of an object by name, as JSON text. The text must be a valid object. */
export function objectMembers(json: string): Map<string, string> {
  return new Map(
    splitElements(json).map((member) => {
      const end = stringEnd(member, 0);
      return [JSON.parse(member.slice(0, end)) as string, member.slice(member.indexOf(':', end) + 1).trim()];
    }),
  );
}

/** Splits an object or array into the texts of its elements. The text must be valid. */
export function splitElements(json: string): string[] {
  const elements: string[] = [];
  let depth = 0;
  let begin = 1;
  for (let index = 0; index < json.length; index++) {
    const char = json[index];
    if (char === '"') index = stringEnd(json, index) - 1;
    else if (char === '{' || char === '[') depth++;
    else if (char === '}' || char === ']') depth--;
    if (depth > 1 || (depth === 1 && char !== ',')) continue;
    const element = json.slice(begin, index).trim();
    if (element !== '') elements.push(element);
    begin = index + 1;
  }
  return elements;
}

function stringEnd(json: string, begin: number): number {
  let index = begin + 1;
  while (index < json.length && json[index] !== '"') index += json[index] === '\\' ? 2 : 1;
  return index + 1;
}

/** The part that must come next. For the last four, the scanner is inside of the part. */
type State = 'value' | 'valueOrEnd' | 'key' | 'keyOrEnd' | 'colon' | 'next' | 'string' | 'escape' | 'hex' | 'scalar';

/**
 * Follows the text of one object or array. It keeps its own stack instead of recursing, because the model decides how
 * deep the text is nested.
 */
class JsonScanner {
  /** The brackets that must still close, the innermost last. */
  #open: string[] = [];
  #state: State = 'value';
  #afterString: State = 'next';
  #hexDigits = 0;
  #scalar = '';

  /** Takes one UTF-16 unit. Returns 'end' if it completes the value, 'bad' if the text is not JSON. */
  push(char: string): 'more' | 'end' | 'bad' {
    if (!this.#accepts(char)) return 'bad';
    return this.#open.length === 0 ? 'end' : 'more';
  }

  #accepts(char: string): boolean {
    switch (this.#state) {
      case 'string':
        if (char === '"') this.#state = this.#afterString;
        else if (char === '\\') this.#state = 'escape';
        return char >= ' ';
      case 'escape':
        this.#state = char === 'u' ? 'hex' : 'string';
        this.#hexDigits = 4;
        return /["\\/bfnrtu]/.test(char);
      case 'hex':
        if (--this.#hexDigits === 0) this.#state = 'string';
        return /[\da-fA-F]/.test(char);
      case 'scalar':
        if (/[-+.\da-zE]/.test(char)) {
          this.#scalar += char;
          return true;
        }
        this.#state = 'next';
        return SCALAR.test(this.#scalar) && this.#acceptsBetween(char);
      default:
        return this.#acceptsBetween(char);
    }
  }

  /** Takes a unit outside of strings and scalars. */
  #acceptsBetween(char: string): boolean {
    if (/[ \t\r\n]/.test(char)) return this.#open.length > 0;
    switch (this.#state) {
      case 'next':
        if (char !== ',') return this.#closes(char);
        this.#state = this.#open.at(-1) === '}' ? 'key' : 'value';
        return true;
      case 'colon':
        this.#state = 'value';
        return char === ':';
      case 'key':
        return this.#beginsString(char, 'colon');
      case 'keyOrEnd':
        return this.#closes(char) || this.#beginsString(char, 'colon');
      case 'valueOrEnd':
        return this.#closes(char) || this.#beginsValue(char);
      default:
        return this.#beginsValue(char);
    }
  }

  #closes(char: string): boolean {
    if (char !== this.#open.at(-1)) return false;
    this.#open.pop();
    this.#state = 'next';
    return true;
  }

  #beginsString(char: string, after: State): boolean {
    this.#state = 'string';
    this.#afterString = after;
    return char === '"' && this.#open.length > 0;
  }

  #beginsValue(char: string): boolean {
    if (char === '{' || char === '[') {
      this.#open.push(char === '{' ? '}' : ']');
      this.#state = char === '{' ? 'keyOrEnd' : 'valueOrEnd';
      return true;
    }
    if (char === '"') return this.#beginsString(char, 'next');
    this.#state = 'scalar';
    this.#scalar = char;
    return /[-\dtfn]/.test(char) && this.#open.length > 0;
  }
}
