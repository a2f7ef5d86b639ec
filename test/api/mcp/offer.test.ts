import { describe, expect, it } from 'vitest';
import { openOffer } from '../../../src/api/mcp/offer.ts';
import type { McpEntry } from '../../../src/api/mcp/schema.ts';
import { createContext, get } from '../fixtures.ts';
import { everyone, mcpServer, mcpTool } from './fixtures.ts';

const shelves = mcpServer('shelves', [mcpTool('read'), mcpTool('write', { readOnly: false })]);
const files = mcpServer('files', [mcpTool('read'), mcpTool('a.b/c')]);

function offerOf(entries: Partial<McpEntry>[], { taken = [] as string[], mcp = everyone(shelves, files) } = {}) {
  const placed = entries.map((entry, index) => ({
    entry: { type: 'mcp' as const, server_label: 'shelves', ...entry },
    place: `tools[${index}]`,
  }));
  return openOffer(createContext({ mcp }).context, get('/'), placed, taken);
}

const namesOf = async (entry: Partial<McpEntry>) =>
  (await offerOf([entry])).tools.map(({ tool, asks }) => (asks ? `${tool.name}?` : tool.name));

describe('the tools that a request offers', () => {
  it('are those of its servers, by names of which none occurs twice', async () => {
    const { tools, listings } = await offerOf([{}, { server_label: 'files' }], { taken: ['write'] });
    expect(tools.map(({ name, tool, place }) => [name, tool.name, place])).toEqual([
      ['read', 'read', 'tools[0]'],
      ['write_2', 'write', 'tools[0]'],
      ['read_2', 'read', 'tools[1]'],
      ['a_b_c', 'a.b/c', 'tools[1]'],
    ]);
    expect(listings.map(({ label, error }) => [label, error])).toEqual([
      ['shelves', null],
      ['files', null],
    ]);
  });

  it('are limited by allowed_tools: names, or those that change nothing', async () => {
    const free = { require_approval: 'never' as const };
    expect(await namesOf({ ...free, allowed_tools: ['write', 'none'] })).toEqual(['write']);
    expect(await namesOf({ ...free, allowed_tools: { read_only: true } })).toEqual(['read']);
    expect(await namesOf({ ...free, allowed_tools: { tool_names: ['read'], read_only: false } })).toEqual([]);
  });

  it('need an approval, unless require_approval says otherwise', async () => {
    expect(await namesOf({})).toEqual(['read?', 'write?']);
    expect(await namesOf({ require_approval: 'always' })).toEqual(['read?', 'write?']);
    expect(await namesOf({ require_approval: 'never' })).toEqual(['read', 'write']);
    expect(await namesOf({ require_approval: { never: { tool_names: ['read'] } } })).toEqual(['read', 'write?']);
    expect(await namesOf({ require_approval: { always: { read_only: false } } })).toEqual(['read', 'write?']);
    expect(
      await namesOf({ require_approval: { always: { tool_names: ['read'] }, never: { read_only: true } } }),
    ).toEqual(['read?', 'write?']);
    expect(await namesOf({ require_approval: {} })).toEqual(['read?', 'write?']);
  });

  it('are none of a server that can not list them', async () => {
    const broken = mcpServer('shelves', [], { list: async () => ({ tools: [], error: 'It has ended.' }) });
    expect(await offerOf([{}], { mcp: everyone(broken) })).toEqual({
      tools: [],
      listings: [{ label: 'shelves', tools: [], error: 'It has ended.' }],
    });
  });

  it('are none of a server that the key may not use', async () => {
    const { context } = createContext({ mcp: { of: (key) => (key === 'laptop' ? [shelves] : []) } });
    const key = { name: 'laptop', models: null, manages: false, priority: 0, limits: null };
    const entries = [{ entry: { type: 'mcp' as const, server_label: 'shelves' }, place: 'tools[0]' }];
    const offerTo = (given: typeof key | null) =>
      openOffer({ ...context, record: { ...context.record, key: given } }, get('/'), entries, []);
    expect((await offerTo(key)).tools).toHaveLength(2);
    for (const other of [{ ...key, name: 'phone' }, null])
      await expect(offerTo(other)).rejects.toMatchObject({
        data: { status: 400, code: 'unknown_mcp_server', message: expect.stringContaining('none that you may use') },
      });
  });

  it.each<[string, Partial<McpEntry>[], object]>([
    [
      'an address',
      [{ server_url: 'https://evil.example/mcp' }],
      { code: 'mcp_server_url_not_allowed', param: 'tools[0].server_url' },
    ],
    ['headers', [{ headers: {} }], { code: 'unsupported_parameter', param: 'tools[0].headers' }],
    ['a connector', [{ connector_id: 'connector_gmail' }], { code: 'unsupported_parameter' }],
    ['credentials', [{ authorization: 'x' }], { code: 'unsupported_parameter', param: 'tools[0].authorization' }],
    [
      'a server that is not here',
      [{ server_label: 'nope' }],
      {
        code: 'unknown_mcp_server',
        param: 'tools[0].server_label',
        message: expect.stringContaining("'shelves', 'files'"),
      },
    ],
    ['a server twice', [{}, {}], { code: 'invalid_request', param: 'tools[1].server_label' }],
  ])('are refused with a 400 that names the field for %s', async (_, entries, data) => {
    await expect(offerOf(entries)).rejects.toMatchObject({ data: { status: 400, ...data } });
  });

  it('are refused for web pages that may only run models, and for requests of batches', async () => {
    const { context } = createContext({ mcp: everyone(shelves) });
    const entries = [{ entry: { type: 'mcp' as const, server_label: 'shelves' }, place: 'tools[0]' }];
    const origin = 'http://localhost:5173';
    const page = { ...get('/'), headers: { origin, host: 'localhost:1337' } };
    await expect(openOffer(context, page, entries, [])).rejects.toMatchObject({
      data: { status: 403, code: 'origin_not_allowed', message: expect.stringContaining('tools of MCP servers') },
    });
    const allowed = { ...context, pages: { origins: [origin], local: 'inference' as const } };
    expect((await openOffer(allowed, page, entries, [])).tools).toHaveLength(2);
    const batch = { ...get('/'), onBehalf: { key: null, owner: 'a', party: { name: 'a', priority: -1 } } };
    await expect(openOffer(context, batch, entries, [])).rejects.toMatchObject({
      data: { status: 400, code: 'unsupported_parameter', param: 'tools[0]' },
    });
  });

  it('are refused with a 501 where no tools run', async () => {
    const entries = [{ entry: { type: 'mcp' as const, server_label: 'x' }, place: 'tools[0]' }];
    const offer = openOffer(createContext().context, get('/'), entries, []);
    await expect(offer).rejects.toMatchObject({ data: { status: 501, code: 'not_supported_here' } });
  });
});
