import { describe, expect, it } from 'vitest';
import { readModelfile } from '../../../src/catalogue/modelfile/defaults.ts';

const read = (...lines: string[]) => readModelfile(lines.join('\n'), false);
const readProfile = (...lines: string[]) => readModelfile(lines.join('\n'), true);

describe('a Modelfile', () => {
  it('becomes settings and parameters of a model.json', () => {
    expect(
      read(
        '# A pirate.',
        'FROM qwen3:4b',
        '',
        'PARAMETER temperature 0.6',
        'parameter top_k 20',
        'PARAMETER min_p 0.05',
        'PARAMETER repeat_last_n 128',
        'PARAMETER num_ctx 8192',
        'PARAMETER num_gpu 12',
        'PARAMETER num_predict 256',
        'PARAMETER stop "<|im_end|>"',
        'PARAMETER stop User:',
        'SYSTEM You are a pirate.',
        'LICENSE MIT',
      ),
    ).toEqual({
      from: { name: 'qwen3:4b', line: 2 },
      settings: { min_p: 0.05, repeat_last_n: 128, ctx_len: 8192, ngl: 12, system_prompt: 'You are a pirate.' },
      parameters: { temperature: 0.6, top_k: 20, max_tokens: 256, stop: ['<|im_end|>', 'User:'] },
      leftOut: ['LICENSE'],
    });
  });

  it('may have texts of several lines, and of one line in quotes', () => {
    expect(read('SYSTEM """', 'Be brief.', '  # No comment.', '"""').settings.system_prompt).toBe(
      '\nBe brief.\n  # No comment.\n',
    );
    expect(read('SYSTEM """Be brief.', 'Rhyme."""', 'PARAMETER top_p 1').settings.system_prompt).toBe(
      'Be brief.\nRhyme.',
    );
    expect(read('SYSTEM """Be brief."""').settings.system_prompt).toBe('Be brief.');
    expect(read('SYSTEM "Be brief."').settings.system_prompt).toBe('Be brief.');
    expect(read('FROM a', 'SYSTEM Say "hi".', '').settings.system_prompt).toBe('Say "hi".');
  });

  it('has no limit of tokens where num_predict is none', () => {
    expect(read('PARAMETER num_predict -1').parameters).toEqual({});
  });

  it('names adapters by their files, which have to lie beside the model', () => {
    expect(read('ADAPTER ./adapters/rhymes.gguf').settings).toEqual({ lora: [{ id: 'rhymes', scale: 1 }] });
    expect(() => read('ADAPTER ./rhymes.safetensors')).toThrow(
      'line 1 of the Modelfile names an adapter that is not a GGUF',
    );
  });

  it.each<[string, string]>([
    ['TEMPLATE """{{ .Prompt }}"""', "line 1 of the Modelfile is a template in Go's language"],
    ['MESSAGE user Hi', 'line 1 of the Modelfile is a message of a conversation'],
    ['PARSER qwen3', "line 1 of the Modelfile names a parser of Ollama's"],
    ['PARAMETER seed 5', 'line 1 of the Modelfile sets seed, which has no counterpart'],
    ['PARAMETER typical_p 0.5', 'line 1 of the Modelfile sets typical_p, which has no counterpart'],
    ['PARAMETER num_keep 5', 'line 1 of the Modelfile sets num_keep, which has no counterpart'],
    ['PARAMETER temperature hot', 'line 1 of the Modelfile sets temperature to something that is not a number'],
    ['PARAMETER temperature', 'line 1 of the Modelfile is not the name of a parameter and its value'],
    ['\n\nHello world', 'line 3 of the Modelfile begins with HELLO, which is not an instruction'],
    ['FROM', 'line 1 of the Modelfile is not an instruction and its value'],
    ['FROM a\nSYSTEM """Be', 'line 2 of the Modelfile has """ without an end'],
  ])('is refused with its line: %j', (text, message) => {
    expect(() => read(text)).toThrow(message);
  });

  it('sets as a profile nothing that says how the model is loaded', () => {
    expect(readProfile('PARAMETER min_p 0.1', 'SYSTEM Hi.').settings).toEqual({ min_p: 0.1, system_prompt: 'Hi.' });
    for (const name of ['num_ctx', 'num_gpu', 'num_thread', 'main_gpu'])
      expect(() => readProfile(`PARAMETER ${name} 1`)).toThrow(
        `line 1 of the Modelfile sets ${name}, which a profile can not have`,
      );
    expect(() => readProfile('ADAPTER a.gguf')).toThrow('names a LoRA adapter, which a profile can not have');
  });
});
