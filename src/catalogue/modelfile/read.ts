/** An instruction of a Modelfile, Ollama's description of a model. */
export interface Instruction {
  /** In upper case: FROM, PARAMETER, SYSTEM and others. */
  name: string;
  /** Without the quotes around it. */
  value: string;
  /** The number of its line, from 1. */
  line: number;
}

const QUOTES = '"""';

/**
 * Reads the instructions of a Modelfile: one a line, comments begin with #, and a value in three quotes may have several
 * lines. Throws an `Error` that names the line.
 */
export function readInstructions(text: string): Instruction[] {
  const lines = text.replace(/^\u{FEFF}/u, '').split(/\r?\n/);
  const instructions: Instruction[] = [];
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index]?.trim() ?? '';
    if (line === '' || line.startsWith('#')) continue;
    const [, name = '', given = ''] = /^([A-Za-z]+)\s+(.*)$/s.exec(line) ?? [];
    if (name === '') throw wrongLine(index + 1, 'is not an instruction and its value');
    const begun = index;
    let value = given;
    if (opensText(given)) {
      while (!endsText(value)) {
        index += 1;
        if (index >= lines.length) throw wrongLine(begun + 1, `has ${QUOTES} without an end`);
        value += `\n${lines[index]}`;
      }
      value = value.trimEnd();
    }
    instructions.push({ name: name.toUpperCase(), value: unquoted(value), line: begun + 1 });
  }
  return instructions;
}

/** Makes the error for a line of a Modelfile. */
export function wrongLine(line: number, what: string): Error {
  return new Error(`line ${line} of the Modelfile ${what}`);
}

/** True if a value is a text of several lines, perhaps after the name of a parameter or a role. */
function opensText(value: string): boolean {
  return value.includes(QUOTES);
}

function endsText(value: string): boolean {
  const start = value.indexOf(QUOTES);
  return value.trimEnd().endsWith(QUOTES) && value.trimEnd().length >= start + 2 * QUOTES.length;
}

function unquoted(value: string): string {
  for (const quotes of [QUOTES, '"']) {
    const isQuoted = value.length >= 2 * quotes.length && value.startsWith(quotes) && value.endsWith(quotes);
    if (isQuoted) return value.slice(quotes.length, -quotes.length);
  }
  return value;
}

/** Splits the value of PARAMETER into the parameter's name and its value. */
export function readParameter({ value, line }: Instruction): { name: string; value: string } {
  const [, name, rest] = /^(\S+)\s+(.+)$/s.exec(value) ?? [];
  if (name === undefined || rest === undefined) throw wrongLine(line, 'is not the name of a parameter and its value');
  return { name: name.toLowerCase(), value: unquoted(rest) };
}
