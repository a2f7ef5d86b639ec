import mermaid from 'mermaid';
import { messageOf } from '../../../src/utils/error-message.ts';
import type { DiagramMessage, DrawDiagram, DrawnDiagram } from './messages.ts';

// The frame that draws diagrams. The text of a diagram comes from a model, so the page gets nothing from this document
// but the text of an SVG.

/** The longest text, in characters, and the most edges. A larger diagram would block the page for seconds. */
const LIMITS = { maxTextSize: 20_000, maxEdges: 300 };

/** The options that the text of a diagram can't set. It may set colours and shapes. */
const FIXED = [
  'secure',
  'securityLevel',
  'startOnLoad',
  'maxTextSize',
  'maxEdges',
  'suppressErrorRendering',
  'htmlLabels',
  'dompurifyConfig',
  'themeCSS',
  'fontFamily',
];

/** The colours of the page. Mermaid derives further colours from them, so they can't be CSS variables. */
const LIGHT = {
  darkMode: false,
  background: '#f4f5f1',
  primaryColor: '#e9f2ec',
  primaryTextColor: '#1d211e',
  primaryBorderColor: '#2c6e4f',
  lineColor: '#59605a',
  noteBkgColor: '#fdfdfb',
  noteTextColor: '#1d211e',
};
const DARK = {
  darkMode: true,
  background: '#1c1f1c',
  primaryColor: '#22332a',
  primaryTextColor: '#e7e9e5',
  primaryBorderColor: '#7cc8a0',
  lineColor: '#a4aca4',
  noteBkgColor: '#20241f',
  noteTextColor: '#e7e9e5',
};

const { port1, port2 } = new MessageChannel();
let last: Promise<void> = Promise.resolve();

port1.onmessage = ({ data }: MessageEvent<DrawDiagram>) => {
  // Mermaid has one global configuration, so diagrams are drawn one after another.
  last = last.then(async () => {
    port1.postMessage({ id: data.id, drawn: await draw(data) } satisfies DiagramMessage);
  });
};
parent.postMessage(null, location.origin, [port2]);

async function draw({ id, code, dark }: DrawDiagram): Promise<DrawnDiagram> {
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    // Some browsers do not draw HTML labels in an image.
    htmlLabels: false,
    suppressErrorRendering: true,
    theme: 'base',
    themeVariables: dark ? DARK : LIGHT,
    fontFamily: 'system-ui, sans-serif',
    secure: FIXED,
    ...LIMITS,
  });
  try {
    const { svg, diagramType } = await mermaid.render(`diagram-${id}`, code);
    return toPicture(svg, diagramType);
  } catch (error) {
    const [reason = ''] = messageOf(error).split('\n');
    return { kind: 'problem', message: reason.slice(0, 200) };
  } finally {
    document.body.replaceChildren();
  }
}

/** Converts the drawing to a well-formed SVG with its size. */
function toPicture(text: string, type: string): DrawnDiagram {
  const holder = document.createElement('template');
  holder.innerHTML = text;
  const svg = holder.content.querySelector('svg');
  if (!svg) throw new Error('Mermaid drew nothing.');
  const { width, height } = svg.viewBox.baseVal;
  svg.setAttribute('width', String(Math.ceil(width)));
  svg.setAttribute('height', String(Math.ceil(height)));
  const said = svg.querySelector('title')?.textContent?.trim();
  return {
    kind: 'picture',
    svg: new XMLSerializer().serializeToString(svg),
    width: Math.ceil(width),
    height: Math.ceil(height),
    title: said ?? '',
    type,
  };
}
