import { callsWrittenAs } from './define.ts';
import { createSample, type Sample } from './derived/derive.ts';
import { deriveThoughts } from './derived/derive-marks.ts';
import { type Derived, derive, derivedFormat } from './derived/format.ts';
import { createProbes } from './derived/probe.ts';
import { shapeWriting } from './derived/writing.ts';
import type { ChatFormat, HistoryRules } from './format.ts';

/** How the format of a template was found. */
export type FormatSource =
  /** A format of `families/` reads the calls that the template writes. */
  | 'read back'
  /** The template has the marks of a format, but writes no calls that could be read. */
  | 'marks'
  /** No format of `families/` reads the calls that the template writes: the format is derived from them. */
  | 'derived'
  /** The template shows no calls. */
  | 'none';

/**
 * What is known of the format of a template. Plain data: to find it takes renderings of the template, which may be in
 * another thread.
 */
export interface FormatPlan {
  source: FormatSource;
  /** The name of the format of `families/`; null if the format is derived. */
  family: string | null;
  /** What was derived from the template; null if the format needs none of it. */
  derived: Derived | null;
  /** The rules of the template's history that the family does not have itself. */
  history: Pick<HistoryRules, 'thoughts' | 'textArguments'>;
}

/** Finds the format that the models with a template write, by the calls that the template itself writes. */
export function planFormat(template: string, formats: readonly ChatFormat[], generic: ChatFormat): FormatPlan {
  const possible = formats.filter((format) => format !== generic && format.matches(template));
  const probes = createProbes(template);
  const samples = probes.flatMap((probe) => createSample(probe) ?? []);
  const family = possible.find((format) => samples.some((sample) => reads(format, sample)));
  const derived = samples.length > 0 ? (derive(probes) ?? null) : null;
  const [probe] = probes;
  const thoughts = probe && deriveThoughts(probe);
  const history = thoughts === undefined ? {} : { thoughts };
  if (family) {
    const isTagged = derived?.shape.arguments.kind === 'tagged';
    // Some templates write arguments as JSON only if they get them as JSON.
    const { textArguments } = samples.find((sample) => reads(family, sample)) ?? { textArguments: false };
    return {
      source: 'read back',
      family: family.name,
      derived: isTagged ? derived : null,
      history: { ...history, ...(textArguments && { textArguments }) },
    };
  }
  if (derived) return { source: 'derived', family: null, derived, history };
  const [first] = possible;
  return { source: first ? 'marks' : 'none', family: (first ?? generic).name, derived: null, history };
}

/** Makes the format of a plan. */
export function formatOfPlan(plan: FormatPlan, formats: readonly ChatFormat[], generic: ChatFormat): ChatFormat {
  const family = formats.find(({ name }) => name === plan.family);
  const own = family ? withOwnMembers(family, plan.derived) : plan.derived ? derivedFormat(plan.derived) : generic;
  // A family with a rule of its own for reasoning keeps it.
  if (Object.keys(plan.history).length === 0 || own.history?.thinking) return own;
  return { ...own, history: { ...own.history, ...plan.history } };
}

/** Returns a format whose forced calls are written as the template writes calls, if each argument has its own marks. */
function withOwnMembers(format: ChatFormat, derived: Derived | null): ChatFormat {
  if (!derived) return format;
  return { ...format, ...callsWrittenAs(shapeWriting(derived.shape), format.createParser) };
}

/** True if a format's parser finds the calls in the text that a template writes for them, and nothing else. */
function reads(format: ChatFormat, { calls, text }: Sample): boolean {
  const tools = calls.map(({ name }) => ({ name }));
  const parser = format.createParser({ tools, startsInReasoning: false });
  const deltas = [...parser.push(text), ...parser.finish()];
  const read = deltas.map((delta) => {
    if (delta.kind === 'toolCall') return delta.name;
    return delta.kind === 'toolArguments' ? delta.text.replace(/\s/g, '') : delta.text.trim();
  });
  const expected = calls.flatMap(({ name, arguments: members }) => [name, JSON.stringify(members)]);
  return read.filter((part) => part !== '').join(' ') === expected.join(' ');
}
