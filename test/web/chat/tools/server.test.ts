import { describe, expect, it } from 'vitest';
import { readAddress, readHeader } from '../../../../web/chat/tools/server.ts';

const PAGE = 'https://chat.example/';

describe('the address of a tool server', () => {
  it.each([
    [' https://mcp.example/mcp ', 'https://mcp.example/mcp'],
    ['mcp.example/mcp', 'https://mcp.example/mcp'],
    ['http://localhost:3000/mcp#part', 'http://localhost:3000/mcp'],
    ['http://127.0.0.1:3000', 'http://127.0.0.1:3000/'],
    ['https://bücher.example', 'https://xn--bcher-kva.example/'],
  ])('is read from what was typed: %j', (typed, address) => {
    expect(readAddress(typed, PAGE)).toBe(address);
  });

  it.each([
    ['', 'no address'],
    ['ftp://mcp.example', 'no address'],
    ['javascript:alert(1)', 'no address'],
    ['https://key@mcp.example', 'Put the key into the header'],
    ['http://[::1]:3000', 'address such as 192.168.1.5'],
    ['https://a;b.example', 'allowed to call this host'],
    ['http://mcp.example', 'came by https'],
  ])('is refused with the reason: %j', (typed, why) => {
    expect(() => readAddress(typed, PAGE)).toThrow(why);
  });

  it('may be http on a page that came by http', () => {
    expect(readAddress('http://mcp.lan/mcp', 'http://192.168.1.5:1337/')).toBe('http://mcp.lan/mcp');
  });
});

describe('the header for its key', () => {
  it('is what was typed, or none', () => {
    expect(readHeader('Authorization', ' Bearer a ')).toEqual({ name: 'Authorization', value: 'Bearer a' });
    expect(readHeader('Authorization', '')).toBeNull();
  });

  it('is refused if no request can have it', () => {
    expect(() => readHeader('Not a name', 'x')).toThrow('no name of a header');
    expect(() => readHeader('X-Key', 'a\nb')).toThrow('characters');
    expect(() => readHeader('X-Key', 'schlüssel€')).toThrow('characters');
  });
});
