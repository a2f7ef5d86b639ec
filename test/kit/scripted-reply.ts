import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';

/** A reply whose text a test sends piece by piece. */
export interface ScriptedReply extends AsyncDisposable {
  /** Resolves once the page has sent its request. */
  asked: Promise<void>;
  /** Sends the next piece. */
  say(text: string): void;
  /** Ends the reply as a model ends its turn. */
  end(): void;
}

/**
 * Answers the next chat request of a page. The request goes to a server of the test instead of Paddock, because the
 * replies of a model are not predictable.
 */
export async function scriptReply(page: Page): Promise<ScriptedReply> {
  let stream: ServerResponse | undefined;
  let tellAsked = () => {};
  const asked = new Promise<void>((resolve) => {
    tellAsked = resolve;
  });
  const server = createServer((_request, response) => {
    stream = response;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    tellAsked();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const pattern = '**/v1/chat/completions';
  await page.route(pattern, (route) => route.continue({ url }));
  const send = (choice: object, more: object = {}) =>
    stream?.write(`data: ${JSON.stringify({ choices: [{ index: 0, ...choice }], ...more })}\n\n`);
  let begun = false;
  return {
    asked,
    say(text) {
      // A model's first chunk says that its prompt is read.
      send(
        { delta: { content: text }, finish_reason: null },
        begun ? {} : { prompt_progress: { cache: 0, processed: 8, total: 8 } },
      );
      begun = true;
    },
    end() {
      send({ delta: {}, finish_reason: 'stop' });
      stream?.end('data: [DONE]\n\n');
    },
    async [Symbol.asyncDispose]() {
      await page.unroute(pattern);
      server.close();
      server.closeAllConnections();
    },
  };
}
