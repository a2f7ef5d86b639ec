import { describe, expect, it } from 'vitest';
import { mcpWorkerPolicy } from '../../../src/api/http/mcp-policy.ts';

const policyFor = (origin: string) => mcpWorkerPolicy(`connect=${encodeURIComponent(origin)}`);

describe('the policy of the worker that speaks to an MCP server', () => {
  it.each(['https://mcp.example', 'http://localhost:3000', 'http://192.168.1.5:8080', 'https://xn--bcher-kva.example'])(
    'allows the one origin that its address names: %s',
    (origin) => {
      expect(policyFor(origin)).toBe(`default-src 'none'; connect-src ${origin}`);
    },
  );

  it.each([
    'https://mcp.example; script-src *',
    "https://mcp.example 'unsafe-eval'",
    'https://a.example,https://b.example',
    'https://*.example',
    '*',
    'https:',
    'https://mcp.example/path',
    'https://user@mcp.example',
    'http://[::1]:3000',
    'ws://mcp.example',
    'data:',
    '\nhttps://mcp.example',
    '',
  ])('allows nobody for what is no plain origin: %j', (origin) => {
    expect(policyFor(origin)).toBe("default-src 'none'; connect-src 'none'");
  });

  it('allows nobody without the field, and with one that can not be decoded', () => {
    for (const query of ['', 'other=https://mcp.example', 'connect=%E0%A4%A'])
      expect(mcpWorkerPolicy(query)).toBe("default-src 'none'; connect-src 'none'");
  });
});
