import { formatOf } from '../../../src/chat/formats/index.ts';
import { createPreparer } from '../../../src/chat/prepare.ts';
import { createChatTemplate } from '../../../src/chat/template.ts';
import type { Tool } from '../../../src/contract/tool.ts';
import { ask, chat } from '../../kit/generation.ts';
import type { Script } from '../../kit/models/scripted-model.ts';
import { traits } from '../fixtures.ts';

/** The parts of a reply. */
export interface FamilyReply {
  thoughts: string;
  /** The tool that is called, and its arguments. */
  tool: Tool;
  arguments: Record<string, unknown>;
}

/** What templates write at the end of a message. */
const END_OF_TURN = /(?:<\|im_end\|>|\[e~\[|<｜end▁of▁sentence｜>)\s*$/;

/**
 * Writes the reply of a model in the text of its chat template: its thoughts, then a call. The text follows the prompt
 * that a request gets. Throws if the template writes the reply in another way than the prompt begins it.
 */
export function scriptOf(template: string, { thoughts, tool, arguments: given }: FamilyReply): Script {
  const question = { role: 'user' as const, content: 'Question' };
  const request = ask('', { prompt: chat([question], { tools: [tool] }) });
  const { prompt, format: plan, parser } = createPreparer(traits(template))(request);
  const format = plan && formatOf(plan);
  if (!format || !parser || typeof prompt !== 'string') throw new Error('the template makes no prompt of text');
  const [reasoning] = format.reasoning;
  if (!reasoning) throw new Error('the format has no thoughts');
  const call = { name: tool.name, arguments: JSON.stringify(given) };
  const answer = {
    role: 'assistant' as const,
    content: '',
    reasoning_content: thoughts,
    tool_calls: [{ id: 'call_1', type: 'function' as const, function: call }],
  };
  const render = createChatTemplate(template, traits(template));
  const whole = render([question, answer], [tool], {}, false);
  const written = whole.slice(whole.lastIndexOf(reasoning.close) + reasoning.close.length);
  const calls = whole.includes(reasoning.close) ? written : format.writeCalls([call]);
  const reply = `${parser.startsInReasoning ? '' : reasoning.open}${thoughts}${reasoning.close}${calls}`;
  const once = format.marks.filter((mark) => reply.split(mark).length === 2 && !reasoning.close.includes(mark));
  const [first] = once.sort((a, b) => reply.indexOf(a) - reply.indexOf(b)).filter((mark) => calls.includes(mark));
  const controls = [reasoning.open, reasoning.close, ...(first ? [first] : [])];
  return { template, reply: reply.replace(END_OF_TURN, ''), controls };
}
