import DOMPurify from 'dompurify';
import { Marked, type Token, type Tokens } from 'marked';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { IMAGE_URL } from '../data/transfer.ts';
import { CodeBlock } from './code-block.tsx';
import { escapeHtml } from './escape-html.ts';
import { mathBlock, mathInline } from './math.ts';

const TAGS =
  'a b blockquote br code del div em h3 h4 h5 h6 hr i img kbd li mark ol p pre s span strong sub sup table tbody td th thead tr u ul';
const ATTRIBUTES = 'align alt aria-label href role src start tabindex title';

/** HTML tags that models use within Markdown and that only change how text looks. */
const HARMLESS_HTML = /^<\/?(?:br|sub|sup|kbd|mark|b|i|u|s|em|strong)\s*\/?>$/i;

const marked = new Marked({ gfm: true, breaks: true });
marked.use({
  extensions: [mathBlock, mathInline],
  renderer: {
    // The page's own headings are of levels 1 and 2.
    heading({ tokens, depth }) {
      const level = Math.min(6, depth + 2);
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>`;
    },
    // Other HTML is shown as text: the model quotes it, and the page must not run it.
    html({ text }) {
      return HARMLESS_HTML.test(text.trim()) ? text : escapeHtml(text);
    },
    // Loading a picture from another site would tell that site about the conversation. It becomes a link that a person
    // may follow.
    image({ href, text }) {
      if (IMAGE_URL.test(href)) return `<img src="${escapeHtml(href)}" alt="${escapeHtml(text)}">`;
      return `<a href="${escapeHtml(href)}">${escapeHtml(text || 'image')}</a>`;
    },
    checkbox({ checked }) {
      return checked ? '☑ ' : '☐ ';
    },
  },
});

const purifier = DOMPurify(window);
purifier.addHook('afterSanitizeAttributes', (node) => {
  if (node.nodeName === 'A') {
    node.setAttribute('target', '_blank');
    node.setAttribute('rel', 'noopener noreferrer');
  }
  // Elements that scroll sideways must be reachable by keyboard.
  if (node.nodeName === 'PRE') node.setAttribute('tabindex', '0');
});

/** Shows Markdown. Blocks that do not change while the text grows are rendered once. */
export function Markdown({ text }: { text: string }): JSX.Element {
  const blocks = useMemo(() => marked.lexer(text).filter(({ type }) => type !== 'space'), [text]);
  return (
    <div class="prose">
      {blocks.map((block, index) => (
        // The text grows only at its end, so the index identifies a block.
        <Block key={index} block={block} />
      ))}
    </div>
  );
}

function Block({ block }: { block: Token }): JSX.Element {
  // A block depends on its raw text only.
  return useMemo(() => {
    if (isCode(block)) return <CodeBlock code={block.text} language={block.lang?.split(/\s/)[0] ?? ''} />;
    const html = sanitise(marked.parser([block]));
    if (block.type !== 'table') return <div class="block" dangerouslySetInnerHTML={{ __html: html }} />;
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, so the keyboard must reach it
      <section class="block wide" tabIndex={0} aria-label="Table" dangerouslySetInnerHTML={{ __html: html }} />
    );
  }, [block.raw]);
}

function sanitise(html: string): string {
  return purifier.sanitize(html, {
    ALLOWED_TAGS: TAGS.split(' '),
    ALLOWED_ATTR: ATTRIBUTES.split(' '),
    ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|data:image\/)/i,
  });
}

function isCode(block: Token): block is Tokens.Code {
  return block.type === 'code';
}
