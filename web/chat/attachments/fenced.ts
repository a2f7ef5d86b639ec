/**
 * Returns a fenced code block of Markdown. Its fence is longer than every fence in the text, so the text can't end the
 * block.
 */
export function fenced(text: string, language = ''): string {
  const longest = (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
