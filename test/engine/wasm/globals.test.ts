import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installWebGlobals } from '../../../src/engine/wasm/node/globals.ts';

const NAMES = ['self', 'location', 'navigator', 'Worker'];

describe('the globals of a browser on Node', () => {
  const before = new Map(NAMES.map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)]));
  beforeAll(() => installWebGlobals());
  afterAll(() => {
    for (const [name, descriptor] of before) {
      if (descriptor) Object.defineProperty(globalThis, name, descriptor);
      else Reflect.deleteProperty(globalThis, name);
    }
  });

  it('have the location of a file, by whose origin other packages see that there is no page', () => {
    const { location } = globalThis as unknown as { location: URL };
    expect(location.origin).toBe('null');
    expect(location.href).toBe('file:///');
  });
});
