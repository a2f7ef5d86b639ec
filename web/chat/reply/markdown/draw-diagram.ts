import type { DiagramMessage, DrawDiagram, DrawnDiagram } from '../../diagrams/messages.ts';
import { t } from '../../messages/language.ts';
import { lazy } from '../../parts/lazy.ts';

// Mermaid is large, writes styles into its document, and has had security holes. So it runs in a document of its own: a
// hidden frame, made when the first diagram is complete, whose policy allows its own scripts only. The page takes only
// the text of an SVG from it.

/** The longest time that the frame may take to load, in ms. */
const LOAD_MS = 30_000;

/** The drawn diagrams, by colour scheme and code, so that a new view of a diagram does not draw it again. */
const drawn = new Map<string, Promise<DrawnDiagram>>();
const MOST_DRAWN = 50;

const frame = lazy(openFrame);
let lastId = 0;

/** Draws a diagram. Never throws: for a diagram that can't be drawn, returns the reason. */
export function drawDiagram(code: string, dark: boolean): Promise<DrawnDiagram> {
  const key = `${dark} ${code}`;
  const known = drawn.get(key);
  if (known) return known;
  const drawing = frame.load().then(
    (port) => ask(port, { id: ++lastId, code, dark }),
    (): DrawnDiagram => {
      drawn.delete(key);
      return { kind: 'problem', message: t('reply.diagramUnreachable') };
    },
  );
  drawn.set(key, drawing);
  const [oldest] = drawn.keys();
  if (drawn.size > MOST_DRAWN && oldest !== undefined) drawn.delete(oldest);
  return drawing;
}

function ask(port: MessagePort, request: DrawDiagram): Promise<DrawnDiagram> {
  return new Promise((resolve) => {
    const onMessage = ({ data }: MessageEvent<DiagramMessage>) => {
      if (data.id !== request.id) return;
      port.removeEventListener('message', onMessage);
      resolve(data.drawn);
    };
    port.addEventListener('message', onMessage);
    port.postMessage(request);
  });
}

/** Resolves when the frame can draw. Rejects if it does not load. */
function openFrame(): Promise<MessagePort> {
  const element = document.createElement('iframe');
  element.className = 'drawing-frame';
  element.title = t('reply.diagram');
  element.ariaHidden = 'true';
  element.tabIndex = -1;
  element.src = new URL('diagrams/index.html', document.baseURI).href;
  return new Promise<MessagePort>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      removeEventListener('message', onMessage);
    };
    const timer = setTimeout(() => {
      stop();
      element.remove();
      reject(new Error('The frame for diagrams did not load.'));
    }, LOAD_MS);
    const onMessage = ({ source, ports: [port] }: MessageEvent) => {
      if (source !== element.contentWindow || !port) return;
      stop();
      port.start();
      resolve(port);
    };
    addEventListener('message', onMessage);
    document.body.append(element);
  });
}
