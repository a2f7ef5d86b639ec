import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { t } from '../messages/language.ts';
import { problemText } from '../messages/problem.ts';
import { RetryIcon, TrashIcon } from '../parts/icons.tsx';
import { Dialog, IconButton } from '../parts/parts.tsx';
import { useActions } from '../state/use-actions.ts';
import { useSelect } from '../state/use-select.ts';
import { placeOf, readAddress, readHeader, type ToolServer, type ToolServerState } from './server.ts';

interface ToolServersDialogProps {
  open: boolean;
  onClose: () => void;
}

/** Lists the tool servers with their tools, and adds others. */
export function ToolServersDialog({ open, onClose }: ToolServersDialogProps): JSX.Element {
  const actions = useActions();
  const { servers, links } = useSelect((state) => state.tools);
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
    <Dialog title={t('tools.servers')} open={open} onClose={onClose}>
      <p class="muted">{t('tools.about')}</p>
      <ul class="tool-servers">
        {servers.map((server) => (
          <ServerView key={server.id} server={server} link={links[server.id]} onRemove={() => remove(server)} />
        ))}
        {removed.map(({ server, undo }) => (
          <li key={server.id} class="tool-server row spread">
            <span>{t('tools.removed', { name: nameOf(server) })}</span>
            <button
              type="button"
              class="link"
              onClick={() => {
                setRemoved((before) => before.filter((one) => one.server.id !== server.id));
                undo();
              }}
            >
              {t('common.undo')}
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
  link: ToolServerState | undefined;
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
        <IconButton label={t('tools.reconnect', { name })} onClick={() => void tools.reconnect(server.id)}>
          <RetryIcon />
        </IconButton>
        <IconButton label={t('tools.remove', { name })} onClick={onRemove}>
          <TrashIcon />
        </IconButton>
      </div>
      <p class={link?.kind === 'failed' ? 'problem' : 'muted'} role="status">
        {statusOf(server, link)}
      </p>
      {server.tools.length > 0 && (
        <details>
          <summary>{t('tools.title')}</summary>
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

function statusOf({ tools, off }: ToolServer, link: ToolServerState | undefined): string {
  if (link?.kind === 'failed') return link.message;
  if (link?.kind !== 'ready') return t('tools.connecting');
  const on = tools.filter(({ name }) => !off.includes(name)).length;
  const all = t('tools.count', { count: tools.length });
  return on === tools.length ? t('tools.connected', { tools: all }) : t('tools.connectedSome', { tools: all, on });
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
      setProblem(problemText(error, t));
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
        <span>{t('tools.address')}</span>
        <div class="row">
          <input
            value={address}
            placeholder="https://mcp.example.com/mcp"
            inputMode="url"
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            required
            aria-label={t('tools.address')}
            aria-describedby="tool-server-problem"
            onInput={({ currentTarget }) => setAddress(currentTarget.value)}
          />
          <button type="submit" class="button primary">
            {t('tools.add')}
          </button>
        </div>
      </label>
      <p id="tool-server-problem" class="problem" role="alert">
        {problem}
      </p>
      <details>
        <summary>{t('tools.withKey')}</summary>
        <div class="fields">
          <label class="field">
            <span>{t('tools.header')}</span>
            <input
              value={headerName}
              autocomplete="off"
              spellcheck={false}
              onInput={({ currentTarget }) => setHeaderName(currentTarget.value)}
            />
          </label>
          <label class="field">
            <span>{t('tools.value')}</span>
            <input
              type="password"
              value={headerValue}
              placeholder="Bearer …"
              autocomplete="off"
              onInput={({ currentTarget }) => setHeaderValue(currentTarget.value)}
            />
          </label>
        </div>
        <small class="muted">{t('tools.keyKept')}</small>
      </details>
    </form>
  );
}
