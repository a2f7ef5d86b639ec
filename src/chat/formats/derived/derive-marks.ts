import type { HistoryRules, ReasoningMarks } from '../format.ts';
import { PROBE_TOOLS, type Probe } from './probe.ts';
import { splitAt } from './texts.ts';

/** Returns the marks around plain content; none if nothing stands before it. */
export function deriveContentMarks(probe: Probe): string[] {
  const [before = '', after = ''] = splitAt(probe.reply({ content: 'zqcontent' }) ?? '', ['zqcontent']) ?? [];
  // An empty block of reasoning may stand before the content, too.
  const open = (before.match(/<[^<>\s]*>/g) ?? []).filter((mark) => !/think/i.test(mark));
  const [close] = after.match(/<[^<>\s]*>/) ?? [];
  return open.length === 0 || close === undefined ? open : [...open, close];
}

/** Returns where a template reads the reasoning before a call; undefined if from `reasoning_content`, or nowhere. */
export function deriveThoughts(probe: Probe): HistoryRules['thoughts'] {
  const fields = [undefined, 'reasoning', 'thinking', 'chunks'] as const;
  const shows = (thoughts: HistoryRules['thoughts']) => {
    const text =
      probe.reply({ reasoning: 'zqthought', thoughts, calls: [{ name: PROBE_TOOLS[0], arguments: {} }] }) ?? '';
    // A template that knows no chunks may write them as a list.
    return text.includes('zqthought') && !/["']thinking["']/.test(text);
  };
  return fields.find(shows);
}

/** Returns the marks around thoughts; undefined if the template writes none. */
export function deriveReasoning(probe: Probe): ReasoningMarks | undefined {
  for (const thoughts of [undefined, 'reasoning', 'thinking', 'blocks'] as const) {
    const parts = splitAt(probe.reply({ content: 'zqcontent', reasoning: 'zqthought', thoughts }) ?? '', [
      'zqthought',
      'zqcontent',
    ]);
    if (parts) return marksAround(probe, parts);
  }
  return undefined;
}

function marksAround(probe: Probe, [before = '', after = '']: string[]): ReasoningMarks | undefined {
  // The content may be a message of its own, which begins as a reply does.
  const next = probe.beginning.trim();
  const at = next === '' ? -1 : after.indexOf(next);
  const close = (at < 0 ? after : after.slice(0, at)).trim();
  const open = lastMark(before) ?? lastMark(probe.beginning.replace(close, ''));
  if (open === undefined || close === '') return undefined;
  if (at > 0) return { open, close, next };
  return { open, close, gap: /\s*$/.exec(before || probe.beginning)?.[0] ?? '' };
}

/** Returns the mark, or else the line, that ends a text. A prompt may also close the block that it opens. */
function lastMark(text: string): string | undefined {
  const line = text.trim().split('\n').at(-1)?.trim();
  if (!line) return undefined;
  return /<[^<>\s]*>$/.exec(line)?.[0] ?? (line.includes('>') ? undefined : line);
}
