import { serveEngine } from '../../src/core/wire.ts';
import type { WasmAssets } from '../../src/engine/wasm/engine.ts';
import { readConfig } from '../config.ts';
import { consoleLog as log } from '../console-log.ts';
import { hostPort } from '../liveness.ts';
import type { Connection } from '../protocol.ts';
import { openDoor } from '../worker-door.ts';
import { chooseDevice } from './device.ts';
import { createEngineRoom, type EngineRoom } from './engine-room.ts';
import { loadModel } from './load-model.ts';

// The dedicated worker that owns the engine. wllama runs in a worker of its own below, so this one always answers.

declare const self: DedicatedWorkerGlobalScope;

const assets: WasmAssets = {
  wasm: besides('wllama.wasm'),
  compat: { worker: besides('compat/wllama.js'), wasm: besides('compat/wllama.wasm') },
};

const room = openRoom();
void openDoor(self, (connection, port) => {
  serve(connection, port).catch((error: unknown) => log.error('a request was lost', { error: String(error) }));
});

async function openRoom(): Promise<EngineRoom> {
  const [device, { maxQueue }] = await Promise.all([chooseDevice(), readConfig()]);
  return createEngineRoom({
    load: (model) => loadModel(model, device, assets, log),
    device,
    maxWaiting: maxQueue,
    log,
  });
}

async function serve(connection: Connection, rawPort: MessagePort): Promise<void> {
  if (connection.to !== 'engine') return rawPort.close();
  const port = hostPort(rawPort, connection.requestId);
  const { serviceOf, state } = await room;
  if (connection.model) {
    return serveEngine(port, serviceOf(connection.model), (error) =>
      log.error('a request failed', { error: String(error) }),
    );
  }
  port.postMessage(state());
  port.close();
}

function besides(path: string): string {
  return new URL(path, self.location.href).href;
}
