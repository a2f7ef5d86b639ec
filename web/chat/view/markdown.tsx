import DOMPurify from 'dompurify';
import { Marked, type Token, type Tokens } from 'marked';
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { IMAGE_URL } from '../data/transfer.ts';
import { CodeBlock } from './code-block.tsx';

const TAGS =
  'a b blockquote br code del div em h3 h4 h5 h6 hr i img kbd li mark ol p pre s strong sub sup table tbody td th thead tr u ul';
const ATTRIBUTES = 'align alt aria-label href role src start tabindex title';

/** HTML that models write in the middle of Markdown and that only says how text looks. */
const HARMLESS_HTML = /^<\/?(?:br|sub|sup|kbd|mark|b|i|u|s|em|strong)\s*\/?>$/i;

const marked = new Marked({ gfm: true, breaks: true });
marked.use({
  renderer: {
    // The page has headings of its own above these.
    heading({ tokens, depth }) {
      const level = Math.min(6, depth + 2);
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>`;
    },
    // Any other HTML is something that the model shows, not something that it is to do here.
    html({ text }) {
      return HARMLESS_HTML.test(text.trim()) ? text : escapeHtml(text);
    },
    // A picture from elsewhere would tell that place what was said here: it becomes a link, which nobody follows unasked.
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
  // What scrolls sideways is to be reached by the keyboard.
  if (node.nodeName === 'PRE') node.setAttribute('tabindex', '0');
});

/** A text in Markdown. Blocks that stay as they are while the text grows are drawn once. */
export function Markdown({ text }: { text: string }): JSX.Element {
  const blocks = useMemo(() => marked.lexer(text).filter(({ type }) => type !== 'space'), [text]);
  return (
    <div class="prose">
      {blocks.map((block, index) => (
        // A text grows at its end, so a block's place is its name.
        <Block key={index} block={block} />
      ))}
    </div>
  );
}

function Block({ block }: { block: Token }): JSX.Element {
  // The raw text is all that a block is made of.
  return useMemo(() => {
    if (isCode(block)) return <CodeBlock code={block.text} language={block.lang?.split(/\s/)[0] ?? ''} />;
    const html = sanitise(marked.parser([block]));
    if (block.type !== 'table') return <div class="block" dangerouslySetInnerHTML={{ __html: html }} />;
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways is to be reached by the keyboard
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

function escapeHtml(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}
