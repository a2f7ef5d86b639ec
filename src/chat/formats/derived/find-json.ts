/** A JSON object or array within a text. */
export interface FoundJson {
  begin: number;
  end: number;
  value: unknown;
}

/** Returns the JSON object or array that begins at this index; undefined if there is none. */
export function jsonAt(text: string, begin: number): FoundJson | undefined {
  const end = closingBracket(text, begin);
  if (end === undefined) return undefined;
  try {
    return { begin, end, value: JSON.parse(text.slice(begin, end)) as unknown };
  } catch {
    return undefined;
  }
}

/** Returns the largest JSON object or array that contains the text between two indices; undefined if there is none. */
export function jsonAround(text: string, from: number, to: number): FoundJson | undefined {
  for (let index = 0; index < from; index++) {
    if (text[index] !== '{' && text[index] !== '[') continue;
    const found = jsonAt(text, index);
    if (found && found.end >= to) return found;
  }
  return undefined;
}

/** Returns the index after the bracket that closes the one at `begin`. */
function closingBracket(text: string, begin: number): number | undefined {
  let depth = 0;
  let inString = false;
  for (let index = begin; index < text.length; index++) {
    const char = text.charAt(index);
    if (inString) {
      if (char === '\\') index += 1;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') depth -= 1;
    if (depth === 0) return index + 1;
  }
  return undefined;
}
