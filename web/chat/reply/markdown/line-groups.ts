/** The least number of lines in a group, except in the last one. */
const SHORTEST = 40;
/** The largest number of lines in a group. */
const LONGEST = 80;

/**
 * Splits code into groups of lines, with their line breaks. While code grows, only its last group changes. A group ends
 * at an empty line before a line without indentation, because a comment or string rarely continues there.
 */
export function lineGroups(code: string): string[] {
  const groups: string[] = [];
  let start = 0;
  let count = 0;
  let blank = false;
  for (let at = 0; at < code.length; ) {
    const beginsAnew = blank && !/\s/.test(code.charAt(at));
    if (count >= LONGEST || (count >= SHORTEST && beginsAnew)) {
      groups.push(code.slice(start, at));
      start = at;
      count = 0;
    }
    const end = code.indexOf('\n', at);
    blank = end === at;
    at = end < 0 ? code.length : end + 1;
    count += 1;
  }
  return [...groups, code.slice(start)];
}
