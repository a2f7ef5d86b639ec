import type { ComponentChildren, JSX, VNode } from 'preact';
import { createElement } from 'preact';
import { IMAGE_URL } from '../../attachments/image-url.ts';
import { t } from '../../messages/language.ts';
import { decodeEntities } from './entities.ts';
import { Formula } from './formula.tsx';
import { readTag } from './html-tag.ts';
import { NoteMark } from './notes.tsx';
import { type Node, nodes } from './parse.ts';

/** The deepest nesting of HTML tags. Deeper tags are left out. */
const DEEPEST = 20;

/** The schemes that a link may have. */
const LINK = /^(?:https?:|mailto:)/i;

/** Draws inline elements. `notes` has the labels of the footnotes whose texts exist. */
export function drawInline(inline: Node[], notes: ReadonlySet<string>): ComponentChildren {
  return drawFrom(inline, { at: 0 }, notes, []);
}

/** Draws up to the end of the innermost open tag. The parser returns start tags and end tags as separate tokens. */
function drawFrom(
  inline: Node[],
  place: { at: number },
  notes: ReadonlySet<string>,
  openTags: string[],
): ComponentChildren[] {
  const drawn: ComponentChildren[] = [];
  while (place.at < inline.length) {
    const key = place.at;
    const node = inline[place.at++] as Node;
    const tag = node.type === 'html' ? readTag(node.text) : null;
    if (!tag) drawn.push(drawOne(node, key, notes));
    else if (tag.name === 'br') drawn.push(<br key={key} />);
    else if (!tag.closing && openTags.length < DEEPEST) {
      drawn.push(createElement(tag.name, { key }, drawFrom(inline, place, notes, [...openTags, tag.name])));
    } else if (tag.closing && openTags.at(-1) === tag.name) return drawn;
  }
  return drawn;
}

function drawOne(node: Node, key: number, notes: ReadonlySet<string>): ComponentChildren {
  const inside = () => drawInline(nodes('tokens' in node ? node.tokens : []), notes);
  switch (node.type) {
    case 'strong':
    case 'em':
    case 'del':
      return createElement(node.type, { key }, inside());
    case 'codespan':
      return (
        <code key={key} dir="ltr">
          {node.text}
        </code>
      );
    case 'br':
      return <br key={key} />;
    case 'link':
      return (
        <Link key={key} href={decodeEntities(node.href)} title={node.title}>
          {inside()}
        </Link>
      );
    case 'image':
      return <Image key={key} href={node.href} words={decodeEntities(node.text)} />;
    case 'math':
      return <Formula key={key} formula={node} />;
    case 'note':
      return <NoteMark key={key} label={node.label} known={notes.has(node.label)} />;
    case 'checkbox':
      return node.checked ? '☑ ' : '☐ ';
    case 'text':
      return node.tokens ? inside() : decodeEntities(node.text);
    case 'escape':
    case 'html':
      return node.text;
    default:
      return node.raw;
  }
}

interface LinkProps {
  href: string;
  title?: string | null | undefined;
  children?: ComponentChildren;
}

/** A link that opens in another tab. An address that could run a script, or that leads into this page, is left out. */
function Link({ href, title, children }: LinkProps): JSX.Element {
  if (!LINK.test(href)) return <span>{children}</span>;
  return (
    <a href={href} {...(title && { title })} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}

/**
 * A picture with a data: URL. Loading a picture from another site would tell that site about the conversation, so its
 * address becomes a link instead.
 */
function Image({ href, words }: { href: string; words: string }): VNode {
  if (IMAGE_URL.test(href)) return <img src={href} alt={words} />;
  return <Link href={href}>{words || t('reply.image')}</Link>;
}
