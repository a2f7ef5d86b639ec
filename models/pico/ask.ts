import type { Ask, Message } from './judge.ts';

/** The longest reply, in tokens. Every correct answer is shorter. */
const MAX_TOKENS = 200;

/**
 * Returns a function that asks pico over the API at this base URL, with greedy sampling. It throws if the server
 * refuses.
 */
export function createAsk(url: string, model = 'pico'): Ask {
  return async (messages, tools) => {
    const body = {
      model,
      messages,
      temperature: 0,
      repeat_penalty: 1,
      max_tokens: MAX_TOKENS,
      ...(tools && { tools }),
    };
    const response = await fetch(`${url}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
    const { choices } = (await response.json()) as { choices: [{ message: Message }] };
    return choices[0].message;
  };
}
