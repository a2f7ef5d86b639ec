import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type Link, placeOf, readAddress, readHeader, type ToolServer } from '../data/tools/server.ts';
import type { ToolsState } from '../data/tools/tools-state.ts';
import { useActions } from './actions.ts';
import { RetryIcon, TrashIcon } from './icons.tsx';
import { Dialog, IconButton } from './parts.tsx';

interface ToolServersDialogProps {
  tools: ToolsState;
  open: boolean;
  onClose: () => void;
}

/** Lists the tool servers with their tools, and adds others. */
export function ToolServersDialog({ tools, open, onClose }: ToolServersDialogProps): JSX.Element {
  const actions = useActions();
  const [removed, setRemoved] = useState<Removed[]>([]);
  useEffect(() => {
    if (open) actions.tools.connectAll();
    else setRemoved([]);
  }, [open]);
  const remove = (server: ToolServer) => {
    const undo = actions.tools.remove(server.id);
    setRemoved((before) => [...before, { server, undo }]);
  };
  return (
    <Dialog title="Tool servers" open={open} onClose={onClose}>
      <p class="muted">
        Tools that models may call, by the Model Context Protocol (MCP). You are asked before one runs. A server sees
        the arguments of its calls, and nothing else of a chat.
      </p>
      <ul class="tool-servers">
        {tools.servers.map((server) => (
          <ServerView key={server.id} server={server} link={tools.links[server.id]} onRemove={() => remove(server)} />
        ))}
        {removed.map(({ server, undo }) => (
          <li key={server.id} class="tool-server row spread">
            <span>Removed {nameOf(server)}.</span>
            <button
              type="button"
              class="link"
              onClick={() => {
                setRemoved((before) => before.filter((one) => one.server.id !== server.id));
                undo();
              }}
            >
              Undo
            </button>
          </li>
        ))}
      </ul>
      <AddServer />
    </Dialog>
  );
}

interface Removed {
  server: ToolServer;
  undo: () => void;
}

interface ServerViewProps {
  server: ToolServer;
  link: Link | undefined;
  onRemove: () => void;
}

function ServerView({ server, link, onRemove }: ServerViewProps): JSX.Element {
  const { tools } = useActions();
  const name = nameOf(server);
  return (
    <li class="tool-server">
      <div class="row">
        <div class="tool-server-name">
          <strong>{name}</strong>
          <small class="muted">{server.url}</small>
        </div>
        <IconButton label={`Reconnect ${name}`} onClick={() => void tools.reconnect(server.id)}>
          <RetryIcon />
        </IconButton>
        <IconButton label={`Remove ${name}`} onClick={onRemove}>
          <TrashIcon />
        </IconButton>
      </div>
      <p class={link?.kind === 'failed' ? 'problem' : 'muted'} role="status">
        {statusOf(server, link)}
      </p>
      {server.tools.length > 0 && (
        <details>
          <summary>Tools</summary>
          {server.tools.map((tool) => (
            <label key={tool.name} class="check">
              <input
                type="checkbox"
                checked={!server.off.includes(tool.name)}
                onChange={({ currentTarget }) => tools.switchTool(server.id, tool.name, currentTarget.checked)}
              />
              <span>
                <code>{tool.name}</code> <small class="muted">{tool.description}</small>
              </span>
            </label>
          ))}
        </details>
      )}
    </li>
  );
}

function statusOf({ tools, off }: ToolServer, link: Link | undefined): string {
  if (link?.kind === 'failed') return link.message;
  if (link?.kind !== 'ready') return 'Connecting…';
  const on = tools.filter(({ name }) => !off.includes(name)).length;
  const all = tools.length === 1 ? '1 tool' : `${tools.length} tools`;
  return on === tools.length ? `Connected: ${all}.` : `Connected: ${all}, ${on} switched on.`;
}

function nameOf(server: ToolServer): string {
  return server.title || placeOf(server);
}

function AddServer(): JSX.Element {
  const { tools } = useActions();
  const [address, setAddress] = useState('');
  const [headerName, setHeaderName] = useState('Authorization');
  const [headerValue, setHeaderValue] = useState('');
  const [problem, setProblem] = useState('');
  const add = () => {
    try {
      tools.add({ url: readAddress(address, location.href), header: readHeader(headerName, headerValue) });
      setAddress('');
      setHeaderValue('');
      setProblem('');
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  return (
    <form
      class="add-tool-server"
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
    >
      <label class="field">
        <span>Address of a server</span>
        <div class="row">
          <input
            value={address}
            placeholder="https://mcp.example.com/mcp"
            inputMode="url"
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            required
            aria-label="Address of a server"
            aria-describedby="tool-server-problem"
            onInput={({ currentTarget }) => setAddress(currentTarget.value)}
          />
          <button type="submit" class="button primary">
            Add
          </button>
        </div>
      </label>
      <p id="tool-server-problem" class="problem" role="alert">
        {problem}
      </p>
      <details>
        <summary>With a key</summary>
        <div class="fields">
          <label class="field">
            <span>Header</span>
            <input
              value={headerName}
              autocomplete="off"
              spellcheck={false}
              onInput={({ currentTarget }) => setHeaderName(currentTarget.value)}
            />
          </label>
          <label class="field">
            <span>Value</span>
            <input
              type="password"
              value={headerValue}
              placeholder="Bearer …"
              autocomplete="off"
              onInput={({ currentTarget }) => setHeaderValue(currentTarget.value)}
            />
          </label>
        </div>
        <small class="muted">It is kept in this browser, sent to this server alone, and is in no export.</small>
      </details>
    </form>
  );
}
