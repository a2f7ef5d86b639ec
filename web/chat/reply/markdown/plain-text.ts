import { decodeEntities } from './entities.ts';
import { readTag } from './html-tag.ts';
import { type Node, nodes, parse } from './parse.ts';

/** Returns Markdown as plain text, without its markup. Formulas and code stay as they are. */
export function plainText(markdown: string): string {
  return blockTexts(parse(markdown, false).blocks).join('\n\n');
}

function blockTexts(blocks: Node[]): string[] {
  return blocks.map(blockText).filter((text) => text !== '');
}

function blockText(block: Node): string {
  switch (block.type) {
    case 'space':
    case 'def':
      return '';
    case 'hr':
      return '---';
    case 'code':
      return block.text;
    case 'list':
      return listText(block);
    case 'table':
      return [block.header, ...block.rows]
        .map((cells) => cells.map(({ tokens }) => inlineText(nodes(tokens))).join('\t'))
        .join('\n');
    case 'blockquote':
      return blockTexts(nodes(block.tokens)).join('\n\n');
    case 'details':
      return [inlineText(nodes(block.summary)), ...blockTexts(nodes(block.tokens))].join('\n\n');
    case 'noteText':
      return `[${block.label}] ${blockTexts(nodes(block.tokens)).join('\n')}`;
    default:
      return inlineText([block]).trim();
  }
}

function listText({ ordered, start, items, loose }: Extract<Node, { type: 'list' }>): string {
  const lines = items.map((item, index) => {
    const mark = ordered ? `${Number(start) + index}. ` : '- ';
    const [first, ...others] = nodes(item.tokens);
    const box = first?.type === 'checkbox' ? [first] : [];
    const text = inlineText(box) + blockTexts(first && box.length === 0 ? [first, ...others] : others).join('\n');
    return mark + text.replace(/\n/g, `\n${' '.repeat(mark.length)}`);
  });
  return lines.join(loose ? '\n\n' : '\n');
}

function inlineText(inline: Node[]): string {
  return inline.map(wordsOf).join('');
}

function wordsOf(node: Node): string {
  switch (node.type) {
    case 'br':
      return '\n';
    case 'math':
      return node.text;
    case 'note':
      return `[${node.label}]`;
    case 'checkbox':
      return node.checked ? '☑ ' : '☐ ';
    case 'html':
      return htmlText(node.text);
    case 'codespan':
    case 'image':
    case 'escape':
      return node.text;
    case 'text':
      return node.tokens ? inlineText(nodes(node.tokens)) : decodeEntities(node.text);
    default:
      return 'tokens' in node ? inlineText(nodes(node.tokens)) : node.raw;
  }
}

function htmlText(html: string): string {
  const tag = readTag(html);
  if (!tag) return html;
  return tag.name === 'br' ? '\n' : '';
}
