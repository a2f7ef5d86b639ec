import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '../../../src/contract/prompt.ts';
import type { Tool } from '../../../src/contract/tool.ts';
import { FINAL_WORDS, nextMove } from './script.ts';

const user: ChatMessage = { role: 'user', content: 'Go on.' };
const result: ChatMessage = { role: 'tool', content: '', tool_call_id: 'a' };

const shell = (name: string, properties: object, required: string[]): Tool => ({
  name,
  parameters: { type: 'object', properties, required } as NonNullable<Tool['parameters']>,
});
const bash = shell('Bash', { command: { type: 'string' }, description: { type: 'string' } }, [
  'command',
  'description',
]);

describe('the script of a trial', () => {
  it('calls the shell until there are as many results as steps, then says the final words', () => {
    expect(nextMove({ tools: [bash], messages: [user] }, 1)).toEqual({
      kind: 'call',
      name: 'Bash',
      arguments: '{"command":"echo step-1 > step-1.txt","description":"Step 1"}',
    });
    expect(nextMove({ tools: [bash], messages: [user, result] }, 1)).toEqual({ kind: 'text', text: FINAL_WORDS });
  });

  it('gives a command as a list where the tool wants one', () => {
    const codex = shell('shell', { command: { type: 'array' } }, ['command']);
    expect(nextMove({ tools: [codex], messages: [user] }, 1)).toMatchObject({
      arguments: '{"command":["bash","-lc","echo step-1 > step-1.txt"]}',
    });
  });

  it('says something where there are no tools, and names the tools where none is a shell', () => {
    expect(nextMove({ tools: [], messages: [user] }, 1)).toEqual({ kind: 'text', text: 'A trial' });
    expect(nextMove({ tools: [shell('read', {}, [])], messages: [user] }, 1)).toMatchObject({
      kind: 'text',
      text: expect.stringContaining('read'),
    });
  });
});
