type Variables = Record<string, unknown>;

/** For each effort that a template may refuse: the efforts to try instead, the nearest first. */
const NEAREST: Record<string, string[]> = {
  none: ['no_think'],
  minimal: ['low'],
  medium: ['high'],
  xhigh: ['max', 'high'],
};

/** Tokens of reasoning, for families that read a number instead of an effort. Without one they reason freely. */
const BUDGETS: Record<string, number> = { none: 0, minimal: 512, low: 1024, medium: 4096 };

/**
 * Returns the variables that switch a model's reasoning, in the words of all families, in the order in which they are
 * tried: a template may refuse an effort. Reasoning is on where the family can reason, until the request says
 * otherwise. The request's own variables win.
 */
export function reasoningSwitches(kwargs: Variables): Variables[] {
  const { enable_thinking: thinks, reasoning_effort: effort } = kwargs;
  const switches = typeof thinks === 'boolean' ? switchesFor(thinks) : { enable_thinking: true };
  if (typeof effort !== 'string') return [{ ...switches, ...kwargs }];
  const budget = BUDGETS[effort];
  return [effort, ...(NEAREST[effort] ?? [])].map((word) => ({
    ...switches,
    ...(budget !== undefined && { thinking_budget: budget }),
    ...(effort !== 'none' && { thinking_effort: word }),
    ...kwargs,
    reasoning_effort: word,
  }));
}

/** Most families read `enable_thinking`; the others have a variable of their own. */
function switchesFor(thinks: boolean): Variables {
  return {
    thinking: thinks,
    reasoning: thinks,
    thinking_mode: thinks ? 'enabled' : 'disabled',
    ...(!thinks && { thinking_budget: 0 }),
  };
}
