import OpenAI from 'openai';
import { startPaddock } from 'paddock/web';

const MODEL = 'pico';

const state = element<HTMLParagraphElement>('state');
const question = element<HTMLInputElement>('question');
const send = element<HTMLButtonElement>('send');
const stop = element<HTMLButtonElement>('stop');
const answer = element<HTMLOutputElement>('answer');

// The service worker answers; the address is this page's own, and no key is asked for.
const client = new OpenAI({ baseURL: `${location.origin}/v1`, apiKey: 'none', dangerouslyAllowBrowser: true });

/** Streams a reply into the page. */
async function ask(content: string): Promise<void> {
  answer.textContent = '';
  send.disabled = true;
  const abort = new AbortController();
  stop.onclick = () => abort.abort();
  stop.disabled = false;
  try {
    const stream = await client.chat.completions.create(
      { model: MODEL, messages: [{ role: 'user', content }], stream: true },
      { signal: abort.signal },
    );
    for await (const { choices } of stream) answer.textContent += choices[0]?.delta.content ?? '';
  } catch (error) {
    if (!abort.signal.aborted) state.textContent = String(error);
  } finally {
    send.disabled = false;
    stop.disabled = true;
  }
}

function element<T extends HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

element('question')
  .closest('form')
  ?.addEventListener('submit', (event) => {
    event.preventDefault();
    void ask(question.value);
  });

try {
  const { device } = await startPaddock();
  state.textContent = `Ready. ${device.reason}`;
  send.disabled = false;
} catch (error) {
  state.textContent = String(error);
}
