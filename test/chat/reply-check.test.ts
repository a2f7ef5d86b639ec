import { describe, expect, it } from 'vitest';
import { createReplyCheck, type ReplyChecks } from '../../src/chat/reply-check.ts';
import type { GenerationEvent } from '../../src/contract/events.ts';
import { finish, reasoning, text, toolArguments, toolCall } from '../api/fixtures.ts';

const tags = { type: 'array', items: { type: 'string' }, uniqueItems: true };
const violation = { path: '', keyword: 'uniqueItems', message: 'must have no equal items, but 0 and 1 are' };

function say(events: GenerationEvent[], checks: Partial<ReplyChecks> = { reply: tags }): GenerationEvent[] {
  const said: GenerationEvent[] = [];
  events.forEach(createReplyCheck({ reply: null, calls: [], ...checks }, (event) => said.push(event)));
  return said;
}

describe('the check of a reply', () => {
  it('passes on every event as it comes, and says nothing of a reply that obeys its schema', () => {
    const events = [reasoning('Hm.'), text('["a",'), text(' "b"]'), finish()];
    expect(say(events)).toEqual(events);
  });

  it('adds to the finish of a complete choice what it breaks', () => {
    const events = [text('["a",'), text(' "a"]'), finish()];
    expect(say(events)).toEqual([...events.slice(0, -1), { ...finish(), violations: [violation] }]);
  });

  it('keeps choices apart', () => {
    const [one, two] = [text('["a","a"]'), { ...text('["b"]'), choice: 1 }];
    const second = { ...finish(), choice: 1 };
    expect(say([one, two, second, finish()]).slice(2)).toEqual([second, { ...finish(), violations: [violation] }]);
  });

  it('says nothing of a choice that is cut', () => {
    for (const reason of ['length', 'content_filter'] as const) {
      expect(say([text('["a","a"]'), finish(reason)]).at(-1)).toEqual(finish(reason));
    }
    expect(say([text('["a","a"'), finish()]).at(-1)).toEqual(finish());
  });

  it('names the call whose arguments break their schema', () => {
    const events = [
      toolCall('free', 0),
      toolArguments('["a","a"]', 0),
      toolCall('tag', 1),
      toolArguments('["a",', 1),
      toolArguments('"a"]', 1),
      finish('tool_calls'),
    ];
    const said = say(events, { reply: tags, calls: [['tag', tags]] });
    expect(said.at(-1)).toEqual({ ...finish('tool_calls'), violations: [{ call: 1, ...violation }] });
  });
});
