import { describe, expect, it } from 'vitest';
import { kimiK3 } from '../../../src/chat/formats/families/kimi-k3.ts';
import { lfm2 } from '../../../src/chat/formats/families/lfm2.ts';
import { minimaxM3 } from '../../../src/chat/formats/families/minimax-m3.ts';
import { muse } from '../../../src/chat/formats/families/muse.ts';
import { itLeavesAsContent, itReads, joined, readPieces, TOOLS } from './replies.ts';

describe('LFM2', () => {
  itReads(lfm2, {
    'calls as Python writes them': {
      reply:
        "Well.<|tool_call_start|>[add(a=1, b=None, exact=True), get_weather(city='it\\'s \"x\"', days=(1, 2,)), now()]<|tool_call_end|>",
      gives: [
        { content: 'Well.' },
        { call: 'add', arguments: '{"a": 1, "b": null, "exact": true}' },
        { call: 'get_weather', arguments: '{"city": "it\'s \\"x\\"", "days": [1,2]}' },
        { call: 'now', arguments: '{}' },
      ],
    },
    'a call after thoughts': {
      reply: '<think>Hm.</think><|tool_call_start|>[get_weather(any={"x": [1, None]})]<|tool_call_end|>',
      gives: [{ reasoning: 'Hm.' }, { call: 'get_weather', arguments: '{"any": {"x":[1,null]}}' }],
    },
  });
  itLeavesAsContent(lfm2, {
    'a call that is cut off': '<|tool_call_start|>[add(a=1',
    'a list': '<|tool_call_start|>[1, 2]<|tool_call_end|>',
  });
});

const NS = ']<]minimax[>[';
const m3 = (text: string) => text.replaceAll(/<(?=\/?(?!mm:))/g, `${NS}<`);

describe('MiniMax M3', () => {
  itReads(minimaxM3, {
    'nested arguments': {
      reply: `<mm:think>Hm.</mm:think>${m3('<tool_call>\n<invoke name="get_weather"><city>1 < 2</city><days><item>1</item><item>2</item></days><any><x><y>a</y></x></any></invoke>\n<invoke name="now"></invoke>\n</tool_call>').replace(`1 ${NS}< 2`, '1 < 2')}`,
      gives: [
        { reasoning: 'Hm.' },
        { call: 'get_weather', arguments: '{"city": "1 < 2", "days": [1, 2], "any": {"x": {"y": "a"}}}' },
        { call: 'now', arguments: '{}' },
      ],
    },
  });
  itLeavesAsContent(minimaxM3, { 'a call that is cut off': m3('<tool_call>\n<invoke name="add"><a>1') });
});

describe('Kimi K3', () => {
  itReads(kimiK3, {
    'thoughts, text and calls': {
      reply:
        'Hm.<|close|>think<|sep|><|open|>response<|sep|>On it.<|close|>response<|sep|><|open|>tools<|sep|>' +
        '<|open|>call tool="add" index="1"<|sep|><|open|>argument key="a" type="number"<|sep|>1<|close|>argument<|sep|><|close|>call<|sep|>' +
        '<|open|>call tool="get_weather" index="2"<|sep|><|open|>argument key="any" type="string"<|sep|>1<|close|>argument<|sep|><|close|>call<|sep|>' +
        '<|close|>tools<|sep|><|close|>message<|sep|>',
      gives: [
        { reasoning: 'Hm.' },
        { content: 'On it.' },
        { call: 'add', arguments: '{"a": 1}' },
        { call: 'get_weather', arguments: '{"any": "1"}' },
      ],
      startsInReasoning: true,
    },
  });
});

describe('Muse Glimmer', () => {
  const call =
    '<atem:function_calls>\n<atem:invoke name="add">\n<atem:parameter name="a">1</atem:parameter>\n</atem:invoke>\n</atem:function_calls>';
  itReads(muse, {
    'messages to itself, to the user and to a tool': {
      reply: ` to=self<|message|>Hm.<|eom|><|start|>assistant to=user<|message|>On it.<|eom|><|start|>assistant to=add<|message|>${call}<|eot|>`,
      gives: [{ reasoning: 'Hm.' }, { content: 'On it.' }, { call: 'add', arguments: '{"a": 1}' }],
    },
    'a call that an answer quotes': {
      reply: ` to=user<|message|>Write ${call}<|eot|>`,
      gives: [{ content: `Write ${call}` }],
    },
  });
});

describe.each([lfm2, minimaxM3, kimiK3, muse].map((format) => [format.name, format] as const))('%s', (_, format) => {
  const calls = [
    { name: 'add', arguments: '{"a": 1, "b": null, "exact": true}' },
    { name: 'get_weather', arguments: '{"city": "a \\"b\\"\\nc", "days": [1, 2]}' },
    { name: 'now', arguments: '{}' },
  ];
  const expected = calls.map(({ name, arguments: json }) => ({ call: name, arguments: JSON.parse(json) as unknown }));
  const parsed = (parts: ReturnType<typeof joined>) =>
    parts.map((part) => ('call' in part ? { ...part, arguments: JSON.parse(part.arguments) as unknown } : part));

  it('reads back the calls that it writes', () => {
    expect(parsed(joined(readPieces(format, [format.writeCalls(calls)])))).toEqual(expected);
  });

  it('reads them where a grammar forces them, in any pieces', () => {
    const parser = format.createParser({ tools: TOOLS, startsInReasoning: false, forced: 'calls' });
    const deltas = [...format.writeCalls(calls)].flatMap((piece) => parser.push(piece));
    expect(parsed(joined([...deltas, ...parser.finish()]))).toEqual(expected);
    expect(parser.unfinished).toBe(false);
  });
});
