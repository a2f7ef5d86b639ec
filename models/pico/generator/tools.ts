import type { ChatMessage } from '../../../src/contract/prompt.ts';
import type { Tool } from '../../../src/contract/tool.ts';
import type { Dice } from './dice.ts';
import { domainOffer } from './domain-offer.ts';
import { areas, domainTools, rivals } from './domain-tools.ts';
import { madeUpNoun, madeUpOffer, madeUpVerb, strangeOffer } from './made-up-offer.ts';
import type { Offer } from './offer.ts';
import { result } from './tool-results.ts';

/** Makes a conversation with tools: calls, their results, and turns that need no tool. */
export function toolTalk(dice: Dice, filler: () => ChatMessage[]): { tools: Tool[]; messages: ChatMessage[] } {
  const offers = someOffers(dice, dice.pick([1, 1, 2, 2, 2, 3, 3, 4]));
  const messages: ChatMessage[] = dice.chance(0.15) ? filler() : [];
  const rounds = dice.pick([1, 1, 1, 2]);
  for (let round = 0; round < rounds; round++) {
    const last = round === rounds - 1;
    messages.push(...callTurn(dice, dice.pick(offers), offers, last && dice.chance(0.25)));
    if (dice.chance(0.12)) messages.push(...filler());
  }
  return { tools: offers.map(({ tool }) => tool), messages };
}

/** Returns tools for a conversation that does not need them. */
export function someTools(dice: Dice): Tool[] {
  return someOffers(dice, dice.pick([1, 1, 2, 3])).map(({ tool }) => tool);
}

function someOffers(dice: Dice, count: number): Offer[] {
  if (count > 1 && dice.chance(0.4)) return relatedOffers(dice, count);
  const offers = new Map<string, Offer>();
  while (offers.size < count) {
    const offer = anyOffer(dice);
    if (!isRival(offer, offers.values())) offers.set(offer.tool.name, offer);
  }
  return dice.sample([...offers.values()], count);
}

function anyOffer(dice: Dice): Offer {
  if (dice.chance(0.7)) return domainOffer(dice, dice.pick(domainTools));
  return dice.chance(0.35) ? strangeOffer(dice) : madeUpOffer(dice);
}

/** Returns tools of one area, so that only the question tells which one to call. */
function relatedOffers(dice: Dice, count: number): Offer[] {
  return dice.chance(0.65) ? areaOffers(dice, count) : siblingOffers(dice, count);
}

function areaOffers(dice: Dice, count: number): Offer[] {
  const offers = new Map<string, Offer>();
  for (const id of dice.sample(dice.pick(areas), count)) {
    const domain = domainTools.find(({ names }) => names[0] === id);
    if (!domain) throw new Error(`no tool ${id}`);
    const offer = domainOffer(dice, domain);
    if (!isRival(offer, offers.values())) offers.set(offer.tool.name, offer);
  }
  return [...offers.values()];
}

/** Returns made-up tools that share their verb or their noun. */
function siblingOffers(dice: Dice, count: number): Offer[] {
  const offers = new Map<string, Offer>();
  const sameNoun = dice.chance(0.6);
  const noun = madeUpNoun(dice);
  const verb = madeUpVerb(dice);
  const seen = new Set<string>();
  while (offers.size < count) {
    const own = sameNoun ? madeUpVerb(dice) : verb;
    const said = sameNoun ? noun : madeUpNoun(dice);
    // No phrase may ask for two of the tools.
    const words = sameNoun ? own : [said];
    if (words.some((word) => seen.has(word))) continue;
    for (const word of words) seen.add(word);
    const offer = dice.chance(0.4) ? strangeOffer(dice, own, said) : madeUpOffer(dice, own, said);
    offers.set(offer.tool.name, offer);
  }
  return [...offers.values()];
}

function isRival({ domain }: Offer, others: Iterable<Offer>): boolean {
  if (domain === undefined) return false;
  return [...others].some(
    (other) =>
      other.domain !== undefined &&
      (other.domain === domain || rivals.some((ids) => ids.includes(domain) && ids.includes(other.domain as string))),
  );
}

function callTurn(dice: Dice, { tool, ask }: Offer, others: Offer[], unanswered: boolean): ChatMessage[] {
  const asked = ask(dice, others);
  const question: ChatMessage = { role: 'user', content: asked.question };
  const call = {
    id: 'call',
    type: 'function' as const,
    function: { name: tool.name, arguments: JSON.stringify(asked.arguments) },
  };
  const called: ChatMessage = { role: 'assistant', content: null, tool_calls: [call] };
  if (unanswered) return [question, called];
  const { content, answer } = result(dice, Object.values(asked.arguments));
  return [question, called, { role: 'tool', content, tool_call_id: 'call' }, { role: 'assistant', content: answer }];
}
