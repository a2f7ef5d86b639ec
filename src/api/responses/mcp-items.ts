import type { ToolResult } from '../../utils/mcp-result.ts';
import { newPrefixedId } from '../generation/ids.ts';
import type { McpCallStart, McpEvent } from '../mcp/events.ts';
import type { OfferedListing } from '../mcp/offer.ts';
import type { McpCallItem, McpListItem, OutputItem, ResponseEvent } from './objects.ts';

/**
 * Writes the items of tools that this server runs into `items`, and returns their events in OpenAI's order. Several calls
 * may be open at once, while the model writes the next one.
 */
export function createMcpItems(items: OutputItem[]) {
  /** The places of the open calls among the items, by the numbers of the calls. */
  const open = new Map<number, number>();

  const add = (item: OutputItem): number => items.push(item) - 1;
  /** Changes the item of an open call. */
  const change = (call: number, changes: (item: McpCallItem) => Partial<McpCallItem>): [McpCallItem, number] => {
    const index = open.get(call) ?? -1;
    const item = items[index];
    if (item?.type !== 'mcp_call') throw new Error('the call has no item');
    const changed = { ...item, ...changes(item) };
    items[index] = changed;
    return [changed, index];
  };

  const list = (listing: OfferedListing): ResponseEvent[] => {
    const item = toListItem(listing);
    const output_index = add(item);
    const at = { item_id: item.id, output_index };
    return [
      { type: 'response.output_item.added', output_index, item: { ...item, tools: [], error: null } },
      { type: 'response.mcp_list_tools.in_progress', ...at },
      { type: `response.mcp_list_tools.${item.error === null ? 'completed' : 'failed'}`, ...at },
      { type: 'response.output_item.done', output_index, item },
    ];
  };
  const begin = (event: McpCallStart): ResponseEvent[] => {
    const item = newCallItem(event);
    const output_index = add(item);
    open.set(event.call, output_index);
    return [
      { type: 'response.output_item.added', output_index, item },
      { type: 'response.mcp_call.in_progress', item_id: item.id, output_index },
    ];
  };
  const grow = (call: number, delta: string): ResponseEvent[] => {
    const [{ id }, output_index] = change(call, (item) => ({ arguments: item.arguments + delta }));
    return [{ type: 'response.mcp_call_arguments.delta', item_id: id, output_index, delta }];
  };
  const complete = (call: number): ResponseEvent[] => {
    const [item, output_index] = change(call, () => ({}));
    return [{ type: 'response.mcp_call_arguments.done', item_id: item.id, output_index, arguments: item.arguments }];
  };
  const close = (call: number, { text, failed }: ToolResult): ResponseEvent[] => {
    const [item, output_index] = change(call, () =>
      failed ? { status: 'failed', error: text } : { status: 'completed', output: text },
    );
    open.delete(call);
    return [
      { type: `response.mcp_call.${failed ? 'failed' : 'completed'}`, item_id: item.id, output_index },
      { type: 'response.output_item.done', output_index, item },
    ];
  };

  return {
    write(event: McpEvent): ResponseEvent[] {
      switch (event.kind) {
        case 'mcpListed':
          return list(event.listing);
        case 'mcpCall':
          return begin(event);
        case 'mcpArguments':
          return grow(event.call, event.text);
        case 'mcpCalling':
          return complete(event.call);
        case 'mcpCalled':
          return close(event.call, event.result);
        case 'mcpApproval': {
          const { server, tool } = event.tool;
          const called = { server_label: server.label, name: tool.name, arguments: event.json };
          const item = { type: 'mcp_approval_request' as const, id: newPrefixedId('mcpr'), ...called };
          const output_index = add(item);
          return [
            { type: 'response.output_item.added', output_index, item },
            { type: 'response.output_item.done', output_index, item },
          ];
        }
        default:
          return event satisfies never;
      }
    },
    /** Ends the calls that were not made because the reply was cut. */
    end: (): ResponseEvent[] =>
      [...open.keys()].flatMap((call) => {
        const done = complete(call);
        const [item, output_index] = change(call, () => ({ status: 'incomplete' }));
        open.delete(call);
        return [...done, { type: 'response.output_item.done', output_index, item }];
      }),
  };
}

function toListItem({ label, tools, error }: OfferedListing): McpListItem {
  return {
    type: 'mcp_list_tools',
    id: newPrefixedId('mcpl'),
    server_label: label,
    tools: tools.map(({ name, description, parameters, readOnly }) => ({
      name,
      description,
      input_schema: parameters,
      annotations: { read_only: readOnly },
    })),
    error,
  };
}

function newCallItem({ tool: { server, tool }, approvalId }: McpCallStart): McpCallItem {
  return {
    type: 'mcp_call',
    id: newPrefixedId('mcp'),
    status: 'in_progress',
    server_label: server.label,
    name: tool.name,
    arguments: '',
    approval_request_id: approvalId,
    output: null,
    error: null,
  };
}
