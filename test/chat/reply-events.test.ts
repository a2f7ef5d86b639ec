import { describe, expect, it } from 'vitest';
import { hermes } from '../../src/chat/formats/families/hermes.ts';
import type { ParserOptions } from '../../src/chat/formats/format.ts';
import { createReplyReader } from '../../src/chat/reply-events.ts';
import type { FinishReason, GenerationEvent } from '../../src/contract/events.ts';
import { done, finish, progress, reasoning, text, tokenLogprob, toolArguments, toolCall } from '../api/fixtures.ts';
import { ADD, ADD_CALL, NOW, NOW_CALL } from './fixtures.ts';

/** Returns the events that a client gets for these events of an engine. */
function say(
  events: GenerationEvent[],
  { parallel = true, ...options }: Partial<ParserOptions> & { parallel?: boolean } = {},
): GenerationEvent[] {
  const said: GenerationEvent[] = [];
  const createParser = () => hermes.createParser({ tools: [ADD, NOW], startsInReasoning: false, ...options });
  const reader = createReplyReader(createParser, parallel, (event) => said.push(event));
  events.forEach(reader);
  return said;
}

/** Pieces of text with one token each. */
const tokens = (...pieces: string[]): GenerationEvent[] =>
  pieces.map((piece) => ({ ...text(piece), logprobs: [tokenLogprob(piece)] }));

const ADD_SAID = [toolCall('add', 0), toolArguments('{"a":1,"b":2}', 0)];

describe('a reply', () => {
  it('passes on progress, overflow and the end as they are', () => {
    const overflow: GenerationEvent = { kind: 'overflow', promptTokens: 9, contextLength: 5 };
    for (const event of [progress(1, 2), overflow, done()]) expect(say([event])).toEqual([event]);
  });

  it('is split into reasoning, content and tool calls', () => {
    expect(say([text(`<think>Hm.</think>Let me add.\n${ADD_CALL}`), finish()])).toEqual([
      reasoning('Hm.'),
      text('Let me add.'),
      ...ADD_SAID,
      finish('tool_calls'),
    ]);
  });

  it('is passed on as it comes', () => {
    const said: GenerationEvent[] = [];
    const reader = createReplyReader(
      () => hermes.createParser({ tools: [], startsInReasoning: false }),
      true,
      (event) => said.push(event),
    );
    reader(text('Hel'));
    expect(said).toEqual([text('Hel')]);
    reader(text('lo <'));
    expect(said).toEqual([text('Hel'), text('lo')]);
    reader(text('3'));
    expect(said).toEqual([text('Hel'), text('lo'), text(' <3')]);
  });

  it('ends with the text that was held back for a mark that never came', () => {
    expect(say([text('a <tool_'), finish('length')])).toEqual([text('a'), text(' <tool_'), finish('length')]);
  });

  it('is nothing but its end if it is empty', () => {
    expect(say([finish()])).toEqual([finish()]);
  });

  it('begins in the reasoning that the template has begun', () => {
    expect(say([text('Hm.</think>Yes.'), finish()], { startsInReasoning: true })).toEqual([
      reasoning('Hm.'),
      text('Yes.'),
      finish(),
    ]);
  });

  it('is read separately for each choice', () => {
    const events = [
      text('<think>H', 0),
      text('<tool_call>\n{"name": "now",', 1),
      text('m.', 0),
      text(' "arguments": {}}\n</tool_call>', 1),
      finish('stop', 1),
      text('</think>Yes.', 0),
      finish('stop', 0),
    ];
    const said = say(events);
    const of = (choice: number) => said.filter((event) => 'choice' in event && event.choice === choice);
    expect(of(0)).toEqual([reasoning('H', 0), reasoning('m.', 0), text('Yes.', 0), finish('stop', 0)]);
    expect(of(1)).toEqual([toolCall('now', 0, 1), toolArguments('{}', 0, 1), finish('tool_calls', 1)]);
  });
});

describe('the finish reason of a reply', () => {
  it.each<[told: FinishReason, becomes: FinishReason]>([
    ['stop', 'tool_calls'],
    ['length', 'length'],
    ['content_filter', 'content_filter'],
  ])('%s with a call becomes %s', (told, becomes) => {
    expect(say([text(ADD_CALL), finish(told)]).at(-1)).toEqual(finish(becomes));
  });

  it('stays stop without a call, even if the text looks like one', () => {
    for (const reply of ['Hello', '<tool_call>add(1)</tool_call>', ADD_CALL.replace('add', 'rm')]) {
      expect(say([text(reply), finish()])).toEqual([text(reply), finish()]);
    }
  });
});

describe('a call that is not complete', () => {
  const cut = ADD_CALL.slice(0, ADD_CALL.indexOf('"b"'));

  it('stays a call with its arguments up to there if the limit of tokens cuts it off', () => {
    expect(say([text('Let me add.\n'), text(cut), finish('length')])).toEqual([
      text('Let me add.'),
      toolCall('add', 0),
      toolArguments('{"a":1,', 0),
      finish('length'),
    ]);
  });

  it('becomes content if the model ends its turn there', () => {
    expect(say([text(cut), finish('stop')])).toEqual([text(cut), finish('stop')]);
  });

  it('becomes content if its tool is unknown, or not known yet', () => {
    for (const reply of [cut.replace('add', 'rm'), '<tool_call>\n{"na', '<tool_call>\nadd(1'])
      expect(say([text(reply), finish('length')])).toEqual([text(reply), finish('length')]);
  });
});

describe('a call that a grammar forces', () => {
  const sayForced = (events: GenerationEvent[]) => say(events, { forced: 'calls' });
  const [head = '', tail = ''] = ADD_CALL.split('{"a":1,');

  it('is passed on as it is written', () => {
    expect(sayForced([text(head), text('{"a":1,'), text(tail), finish()])).toEqual([
      toolCall('add', 0),
      toolArguments('{"a":1,', 0),
      toolArguments('"b":2}', 0),
      finish('tool_calls'),
    ]);
  });

  it('stays a call where the limit of tokens or a filter cuts it off', () => {
    for (const reason of ['length', 'content_filter'] as const) {
      expect(sayForced([text(`${head}{"a":1,`), finish(reason)])).toEqual([
        toolCall('add', 0),
        toolArguments('{"a":1,', 0),
        finish(reason),
      ]);
    }
  });

  it('does not end with tool_calls where a stop sequence cuts it off', () => {
    expect(sayForced([text(`${head}{"a":1,`), finish('stop')]).at(-1)).toEqual(finish('stop'));
  });
});

describe('parallel calls', () => {
  const several = [text(`${ADD_CALL}\n${NOW_CALL}\n`), text('Done.'), finish()];

  it('are all passed on, numbered from 0', () => {
    expect(say(several)).toEqual([
      ...ADD_SAID,
      toolCall('now', 1),
      toolArguments('{}', 1),
      text('Done.'),
      finish('tool_calls'),
    ]);
  });

  it('are cut to the first if the request says so', () => {
    expect(say(several, { parallel: false })).toEqual([...ADD_SAID, text('Done.'), finish('tool_calls')]);
  });
});

describe('logprobs', () => {
  it('come with the content', () => {
    expect(say([...tokens('Hel', 'lo'), finish()])).toEqual([...tokens('Hel', 'lo'), finish()]);
  });

  it('are held back together with the text of their token', () => {
    expect(say([...tokens('a', ' <', '3'), finish()])).toEqual([
      ...tokens('a'),
      { ...text(' <3'), logprobs: [tokenLogprob(' <'), tokenLogprob('3')] },
      finish(),
    ]);
  });

  it('of reasoning do not come with the content after it', () => {
    const said = say([...tokens('<think>', 'Hm.', '</think>', 'Yes.'), finish()]);
    expect(said).toContainEqual(reasoning('Hm.'));
    const told = said.flatMap((event) => (event.kind === 'text' ? (event.logprobs ?? []) : []));
    expect(told.map((token) => token.text)).not.toContain('Hm.');
    expect(told.at(-1)?.text).toBe('Yes.');
  });

  it('of a call do not come with the content after it', () => {
    const said = say([...tokens(...ADD_CALL.split(/(?= )/), 'Done.'), finish()]);
    expect(said).toEqual([...ADD_SAID, ...tokens('Done.'), finish('tool_calls')]);
  });

  it('are absent if the engine gives none', () => {
    expect(say([text('Hi'), finish()])).toEqual([text('Hi'), finish()]);
  });
});
