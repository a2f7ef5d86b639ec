import { type ApiError, invalidRequest, notSupportedHere, unsupportedParameter } from '../../contract/errors.ts';
import type { McpListing, McpServer, McpTool } from '../../contract/mcp.ts';
import type { ToolChoice } from '../../contract/prompt.ts';
import type { Tool } from '../../contract/tool.ts';
import { freeName } from '../../utils/free-name.ts';
import type { RequestContext } from '../context.ts';
import { toTool } from '../generation/conversation.ts';
import type { ApiRequest } from '../http/http.ts';
import { type PageRules, reachOf } from '../http/reach.ts';
import { originNotAllowed } from '../http/refusals.ts';
import { withinTime } from './limit-time.ts';
import { MCP_LIMITS } from './limits.ts';
import type { McpEntry, McpToolFilter } from './schema.ts';

/** A tool of an MCP server that the model may call in the reply to a request. */
export interface OfferedTool {
  server: McpServer;
  /** The tool, by its name on the server. */
  tool: McpTool;
  /** The name by which the model calls it: the tool's own, with a number if another tool of the request has it. */
  name: string;
  /** True if the client wants to approve each call. */
  asks: boolean;
  /** The path of its entry in the request, such as `tools[1]`. */
  place: string;
}

/** The list of tools of one server: those that the request allows. */
export interface OfferedListing extends McpListing {
  label: string;
}

/** What a request offers to the model of MCP servers. */
export interface McpOffer {
  tools: OfferedTool[];
  listings: OfferedListing[];
}

export const NO_OFFER: McpOffer = { tools: [], listings: [] };

/** An entry for an MCP server in a request, and its path, such as `tools[1]`. */
export interface PlacedEntry {
  entry: McpEntry;
  place: string;
}

/**
 * Lists the tools of the servers that a request asks for. `taken` are the names of its other tools. A server that can't
 * list its tools offers none. Throws a 400 `ApiError` for a server that the configuration does not name, or not for the
 * key of the request, a 403 for a web page that may only run models, and a 501 if this platform runs no tools.
 */
export async function openOffer(
  { mcp, record, pages }: Pick<RequestContext, 'mcp' | 'record' | 'pages'>,
  request: Pick<ApiRequest, 'headers' | 'onBehalf' | 'signal'>,
  entries: PlacedEntry[],
  taken: string[],
): Promise<McpOffer> {
  const [first] = entries;
  if (!first) return NO_OFFER;
  refuseSender(request, pages, first);
  if (!mcp)
    throw notSupportedHere(
      'This Paddock runs no tools: MCP servers are named in the configuration of a Paddock server.',
    );
  const known = mcp.of(record.key?.name ?? null);
  const asked = entries.map((placed, index) => {
    refuseAddress(placed);
    refuseTwice(entries, index);
    return { ...placed, server: findServer(known, placed) };
  });
  const listings = await Promise.all(
    asked.map(async ({ server, entry }) => toListing(await listWithin(server, request.signal), entry)),
  );
  const names = new Set(taken);
  const tools = asked.flatMap(({ server, entry, place }, index) =>
    (listings[index]?.tools ?? []).map((tool) => {
      const name = freeName(tool.name, names);
      names.add(name);
      return { server, tool, name, asks: mustAsk(entry, tool), place };
    }),
  );
  return { tools, listings };
}

/**
 * Returns the tool choice of a request; undefined if it forces a call of a tool that its server could not list. The reply
 * tells of the failed list instead.
 */
export function possibleChoice(
  choice: ToolChoice | undefined,
  tools: Tool[],
  { listings }: McpOffer,
): ToolChoice | undefined {
  if (listings.every(({ error }) => error === null)) return choice;
  if (typeof choice === 'object') return tools.some(({ name }) => name === choice.name) ? choice : undefined;
  return tools.length > 0 ? choice : undefined;
}

/** Returns an offered tool as the model sees it. */
export function toOfferedTool({ name, tool: { description, parameters } }: OfferedTool): Tool {
  return toTool({ name, description, parameters });
}

/** Returns the offered tool of a server; undefined if there is none. */
export function findOffered({ tools }: McpOffer, label: string, name: string): OfferedTool | undefined {
  return tools.find(({ server, tool }) => server.label === label && tool.name === name);
}

/**
 * Throws an `ApiError` for the senders that may not use tools. A tool may change anything outside, so a web page of
 * another program needs the same permission as for managing models; and a request of a batch may be asked again.
 */
function refuseSender(
  { headers, onBehalf }: Pick<ApiRequest, 'headers' | 'onBehalf'>,
  pages: PageRules,
  { place }: PlacedEntry,
): void {
  if (onBehalf)
    throw unsupportedParameter(place, `${place}: batches can not use MCP servers, since a request may be asked again.`);
  if (reachOf(headers, pages) !== 'all') throw originNotAllowed(headers.origin ?? 'other sites', 'tools');
}

/** The fields by which clients of OpenAI choose where its servers connect, and with which credentials. */
const ADDRESS_FIELDS = ['connector_id', 'tunnel_id', 'authorization', 'headers'];

function refuseAddress({ entry, place }: PlacedEntry): void {
  const given = (field: string) => (entry[field] ?? null) !== null;
  if (given('server_url'))
    throw invalidRequest(
      `${place}.server_url is not taken: the operator of this Paddock decides where it connects, and server_label names one of its MCP servers.`,
      `${place}.server_url`,
      'mcp_server_url_not_allowed',
    );
  const field = ADDRESS_FIELDS.find(given);
  if (field !== undefined)
    throw unsupportedParameter(
      `${place}.${field}`,
      `${place}.${field} is not supported: MCP servers are reached as the operator of this Paddock has configured it.`,
    );
}

function refuseTwice(entries: PlacedEntry[], index: number): void {
  const label = entries[index]?.entry.server_label;
  if (entries.findIndex(({ entry }) => entry.server_label === label) === index) return;
  const param = `${entries[index]?.place}.server_label`;
  throw invalidRequest(`${param} is '${label}', as that of a tool before it.`, param);
}

function findServer(known: McpServer[], { entry, place }: PlacedEntry): McpServer {
  const found = known.find(({ label }) => label === entry.server_label);
  if (found) return found;
  throw unknownServer(entry.server_label, known, `${place}.server_label`);
}

/** 400: the client may use no such server. The message lists those that it may use. */
function unknownServer(label: string, known: McpServer[], param: string): ApiError {
  const names = known.map((server) => `'${server.label}'`).join(', ');
  const may = names === '' ? 'There is none that you may use.' : `You may use ${names}.`;
  return invalidRequest(
    `${param} names the MCP server '${label}', which is not here. ${may}`,
    param,
    'unknown_mcp_server',
  );
}

/** Lists the tools of a server. One that takes too long offers none. */
async function listWithin(server: McpServer, signal: AbortSignal): Promise<McpListing & { label: string }> {
  const { label } = server;
  const listed = await withinTime(MCP_LIMITS.listMs, signal, (limited) => server.list(limited));
  return { label, ...(listed ?? { tools: [], error: 'The MCP server has not answered in time.' }) };
}

function toListing({ tools, ...listing }: OfferedListing, { allowed_tools: allowed }: McpEntry): OfferedListing {
  if (!allowed) return { ...listing, tools };
  const wanted = Array.isArray(allowed) ? { tool_names: allowed } : allowed;
  return { ...listing, tools: tools.filter((tool) => matches(tool, wanted)) };
}

function matches({ name, readOnly }: McpTool, { tool_names: names, read_only }: McpToolFilter): boolean {
  return (!names || names.includes(name)) && (typeof read_only !== 'boolean' || read_only === readOnly);
}

/**
 * True if a call needs an approval. As at OpenAI, every call needs one by default. With `never` alone, all other tools
 * need one; with `always` alone, no others.
 */
function mustAsk({ require_approval: rule }: McpEntry, tool: McpTool): boolean {
  if (!rule || typeof rule === 'string') return rule !== 'never';
  const { always, never } = rule;
  if (always && matches(tool, always)) return true;
  return never ? !matches(tool, never) : !always;
}
