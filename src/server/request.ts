import type { ApiRequest } from '../api/http/http.ts';
import type { ApiError } from '../contract/errors.ts';
import type { Body } from './bodies.ts';
import type { Ending } from './ending.ts';
import type { Exchange } from './exchange.ts';

/** Makes the request that the API answers. `refusal` is why the server refuses it, if it does. */
export function toApiRequest(exchange: Exchange, body: Body, ending: Ending, refusal?: ApiError): ApiRequest {
  return new ServerRequest(exchange, body, ending, refusal);
}

/** A class, because a getter in an object literal makes V8 give every single object a shape of its own. */
class ServerRequest implements ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Record<string, string>;
  readonly refusal: ApiError | undefined;
  readonly text: ApiRequest['text'];
  readonly bytes: ApiRequest['bytes'];
  readonly #ending: Ending;

  constructor({ head, onBody }: Exchange, body: Body, ending: Ending, refusal: ApiError | undefined) {
    this.method = head.method;
    this.path = head.path;
    this.query = head.query;
    this.headers = head.headers;
    this.refusal = refusal;
    this.text = (look) => body.read(onBody, look, this.signal);
    this.bytes = () => body.readBytes(onBody, this.signal);
    this.#ending = ending;
  }

  get signal(): AbortSignal {
    return this.#ending.signal();
  }
}
