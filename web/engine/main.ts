import { toLogFields, withFields } from '../../src/contract/log.ts';
import type { Port } from '../../src/contract/port.ts';
import type { JournaledService } from '../../src/engine/chat-service.ts';
import type { WasmAssets } from '../../src/engine/wasm/engine.ts';
import { serveCall } from '../../src/wire/call.ts';
import { serveGathered } from '../../src/wire/inference-calls.ts';
import { readBrowserConfig } from '../config.ts';
import { consoleLog as log } from '../console-log.ts';
import { measureRoom } from '../gpu/card-room.ts';
import { browserGpu } from '../gpu/gpu.ts';
import { leaderPort } from '../liveness.ts';
import type { BrowserModel, EngineState } from '../protocol.ts';
import { openInbox, showLife } from '../worker-inbox.ts';
import { afterLosses, chooseDevice } from './device.ts';
import { createEngineRoom, type EngineRoom } from './engine-room.ts';
import { loadBrowserEngine } from './load-model.ts';

// The dedicated worker that owns the engine. wllama computes in another worker, which this one starts, so this worker
// is never busy and always answers.

declare const self: DedicatedWorkerGlobalScope;

const assets: WasmAssets = {
  wasm: urlOf('wllama.wasm'),
  compat: { worker: urlOf('compat/wllama.js'), wasm: urlOf('compat/wllama.wasm') },
};

const room = openRoom();
showLife(self);
void openInbox(self, (connection, rawPort) => {
  if (connection.to !== 'engine') return rawPort.close();
  const port = leaderPort(rawPort, connection.id);
  const { model, requestId } = connection;
  void (model ? serveModel(port, model, requestId) : serveState(port, requestId));
});

async function openRoom(): Promise<EngineRoom> {
  const [device, { maxQueue }] = await Promise.all([chooseDevice(), readBrowserConfig()]);
  const gpu = browserGpu();
  const roomOnCard = async (wanted: number) => (gpu ? measureRoom(gpu, wanted) : 0);
  return createEngineRoom({
    load: (model, requestLog, losses) =>
      loadBrowserEngine(model, { device: afterLosses(device, losses), assets, roomOnCard, log }, requestLog),
    device,
    maxWaiting: maxQueue,
    log,
  });
}

function serveModel(port: Port, model: BrowserModel, requestId: string): Promise<void> {
  const requestLog = withFields(log, { requestId, model: model.card.id });
  const service = async () => (await room).serviceOf(model, requestLog);
  const whenOpen: JournaledService = {
    generate: async (request, emit, signal) => (await service()).generate(request, emit, signal),
    ask: async (kind, question, signal) => (await service()).ask(kind, question, signal),
  };
  return serveGathered(port, whenOpen, (error) => requestLog.error('request failed', toLogFields(error)));
}

function serveState(port: Port, requestId: string): Promise<void> {
  return serveCall<null, EngineState>(
    port,
    async (_, emit) => emit((await room).state()),
    (error) => log.error('request failed', { requestId, ...toLogFields(error) }),
  );
}

/** The URL of a file in the folder of this script. */
function urlOf(path: string): string {
  return new URL(path, self.location.href).href;
}
