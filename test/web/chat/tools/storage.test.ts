import { afterEach, describe, expect, it } from 'vitest';
import { writeStoredText } from '../../../../web/chat/state/safe-storage.ts';
import { keepToolServers, readToolServers } from '../../../../web/chat/tools/storage.ts';

const SERVER = {
  id: 'a',
  url: 'https://mcp.example.com/mcp',
  header: { name: 'Authorization', value: 'Bearer secret' },
  title: 'Weather',
  tools: [{ name: 'forecast', description: 'Tells the weather.', parameters: { type: 'object' } }],
  off: ['forecast'],
};
const store = (text: string) => writeStoredText('localStorage', 'paddock-tool-servers', text);

afterEach(() => keepToolServers([]));

describe('the tool servers that a browser keeps', () => {
  it('are read as they were kept', () => {
    const servers = [SERVER, { ...SERVER, id: 'b', header: null, title: '', tools: [], off: [] }];
    keepToolServers(servers);
    expect(readToolServers()).toEqual(servers);
  });

  it.each([
    ['no list', '{}'],
    ['no JSON', '[{'],
    ['what is no server', '[null, 1, {"a": 1}]'],
    ['a server without tools', JSON.stringify([{ ...SERVER, tools: undefined }])],
  ])('are none where the storage has %s: the page stays', (_, text) => {
    store(text);
    expect(readToolServers()).toEqual([]);
  });

  it('are those that can be read, beside others that can not', () => {
    store(JSON.stringify([null, SERVER, { ...SERVER, tools: [{ name: 5 }] }]));
    expect(readToolServers()).toEqual([SERVER]);
  });
});
