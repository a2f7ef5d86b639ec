import type { ReasoningMarks, ReplyDelta, ReplyParser } from './format.ts';

/** Makes a parser that passes reasoning on as a part of the content, between its marks. Calls stay calls. */
export function withThoughtsInContent(parser: ReplyParser, { open, close, gap = '' }: ReasoningMarks): ReplyParser {
  const behind = gap === '' ? close : `${gap}${close}\n\n`;
  let inside = false;
  const enter = (text: string) => {
    const opening = inside ? '' : open + gap;
    inside = true;
    return opening + text;
  };
  const leave = (): ReplyDelta[] => {
    const closing: ReplyDelta[] = inside ? [{ kind: 'content', text: behind }] : [];
    inside = false;
    return closing;
  };
  const toContent = (delta: ReplyDelta): ReplyDelta[] =>
    delta.kind === 'reasoning' ? [{ kind: 'content', text: enter(delta.text) }] : [...leave(), delta];
  return {
    push: (text) => parser.push(text).flatMap(toContent),
    finish: (isCut) => parser.finish(isCut).flatMap(toContent),
    get unfinished() {
      return parser.unfinished ?? false;
    },
  };
}
