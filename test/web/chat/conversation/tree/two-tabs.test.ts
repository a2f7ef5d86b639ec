import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Turn } from '../../../../../web/chat/conversation/conversation.ts';
import { shownMessages, versionsOf } from '../../../../../web/chat/conversation/tree/branches.ts';
import { chooseCompared, sayBeside } from '../../../../../web/chat/conversation/tree/compared.ts';
import { erased, isErased } from '../../../../../web/chat/conversation/tree/erase.ts';
import { latestStamp, merge, mergeHead } from '../../../../../web/chat/conversation/tree/merge.ts';
import {
  addTurn,
  deleteMessage,
  grow,
  newHead,
  sayInstead,
  setDeleted,
  showBranch,
  withValues,
} from '../../../../../web/chat/conversation/tree/operations.ts';
import { type Clock, createClock } from '../../../../../web/chat/conversation/tree/stamp.ts';
import {
  type Chats,
  type Head,
  type MessageNode,
  NO_CHATS,
  type Patch,
} from '../../../../../web/chat/conversation/tree/tree.ts';
import { summariesOf } from '../../../../../web/chat/conversation/tree/view.ts';
import { NO_SETTINGS } from '../../../../../web/chat/settings/settings.ts';
import { repeats } from '../../../../support/repeats.ts';

const words = (text: string): Turn => ({ role: 'user', id: text, text, images: [] });

const OPERATIONS = 200;
const KINDS = [
  'begin',
  'say',
  'say',
  'edit',
  'regenerate',
  'grow',
  'compare',
  'choose',
  'show another branch',
  'delete message',
  'restore message',
  'delete',
  'restore',
  'rename',
  'move',
  'reload',
  'hear',
] as const;

interface Operation {
  kind: (typeof KINDS)[number];
  tab: 0 | 1;
  /** It chooses among what there is. */
  pick: number;
}

const operations = fc.array(
  fc.record<Operation>({
    kind: fc.constantFrom(...KINDS),
    tab: fc.constantFrom(0, 1),
    pick: fc.nat(1000),
  }),
  { minLength: OPERATIONS, maxLength: OPERATIONS },
);

interface Tab {
  clock: Clock;
  chats: Chats;
  /** What the other tab has said and this one has not heard yet. */
  inbox: Patch[];
}

/** Two tabs over one storage. Everything that was ever said is noted. */
function createWorld() {
  // The clocks of the two tabs differ by a minute.
  const tabs: [Tab, Tab] = [
    { clock: createClock('a', () => 1000), chats: NO_CHATS, inbox: [] },
    { clock: createClock('b', () => 61_000), chats: NO_CHATS, inbox: [] },
  ];
  let stored: Chats = NO_CHATS;
  const said = new Map<string, string>();
  let count = 0;

  const hear = (tab: Tab, patch: Patch) => {
    const last = latestStamp(patch);
    if (last) tab.clock.see(last);
    tab.chats = merge(tab.chats, patch);
  };
  const change = (index: 0 | 1, patch: Patch) => {
    hear(tabs[index], patch);
    stored = merge(stored, patch);
    tabs[1 - index]?.inbox.push(patch);
  };
  const words = (role: 'user' | 'assistant'): Turn => {
    count += 1;
    const [id, text] = [`message ${count}`, `words ${count}`];
    said.set(id, text);
    if (role === 'user') return { role, id, text, images: [] };
    return { role, id, text, model: 'pico', reasoning: '', calls: [], end: null, stats: null };
  };

  const run = (operation: Operation) => {
    const tab = tabs[operation.tab];
    if (operation.kind === 'hear') {
      const next = tab.inbox.shift();
      if (next) hear(tab, next);
    } else if (operation.kind === 'reload') {
      tab.inbox = [];
      tab.chats = NO_CHATS;
      hear(tab, partsOf(stored));
    } else {
      const head = at(Object.values(tab.chats.heads), operation.pick);
      const patch = head && operation.kind !== 'begin' ? onConversation(tab, operation, head) : begin(tab);
      if (patch) change(operation.tab, patch);
    }
  };

  const begin = ({ clock }: Tab): Patch => {
    count += 1;
    return addTurn(newHead(`chat ${count}`, clock.next()), null, words('user'), clock.next());
  };

  const onConversation = (tab: Tab, { kind, pick }: Operation, head: Head): Patch | null => {
    const { clock, chats } = tab;
    const messages = chats.messages[head.id] ?? {};
    switch (kind) {
      case 'say': {
        const last = shownMessages(head, messages).at(-1);
        const role = last?.turn.value.role === 'user' ? 'assistant' : 'user';
        return addTurn(head, last?.id ?? null, words(role), clock.next());
      }
      case 'delete':
      case 'restore':
        return { heads: [withValues(head, { deleted: kind === 'delete' }, clock.next())], messages: [] };
      case 'rename':
        return { heads: [withValues(head, { title: `title ${pick}` }, clock.next())], messages: [] };
      case 'move':
        return {
          heads: [withValues(head, { folder: ['', 'Home', 'Work'][pick % 3] ?? '' }, clock.next())],
          messages: [],
        };
      default: {
        const message = at(Object.values(messages), pick);
        return message ? onMessage(tab, kind, head, message) : null;
      }
    }
  };

  const onMessage = ({ clock, chats }: Tab, kind: Operation['kind'], head: Head, message: MessageNode): Patch => {
    const at = clock.next();
    const messages = chats.messages[head.id] ?? {};
    switch (kind) {
      case 'edit':
        return sayInstead(head, messages, message.id, words('user'), at);
      case 'regenerate':
        return sayInstead(head, messages, message.id, words('assistant'), at);
      case 'grow': {
        const turn = message.turn.value;
        if (turn.role !== 'assistant') return { heads: [], messages: [] };
        return grow(message, { ...turn, reasoning: `${turn.reasoning}.` }, at);
      }
      case 'compare': {
        const turn = words('assistant');
        if (turn.role !== 'assistant') throw new Error('it is a reply');
        return sayBeside(head, messages, message.id, turn, at);
      }
      case 'choose':
        return chooseCompared(head, messages, message.id, at);
      case 'show another branch':
        return showBranch(head, messages, message.id, at);
      case 'delete message':
        return deleteMessage(head, messages, message.id, clock.next);
      default:
        return setDeleted(message, false, at);
    }
  };

  const settle = () => {
    for (const tab of tabs) {
      for (const patch of tab.inbox) hear(tab, patch);
      tab.inbox = [];
    }
  };
  return { run, settle, tabs, said, stored: () => stored };
}

function at<T>(all: T[], pick: number): T | undefined {
  return all[pick % Math.max(1, all.length)];
}

function partsOf({ heads, messages }: Chats): Patch {
  return { heads: Object.values(heads), messages: Object.values(messages).flatMap((own) => Object.values(own)) };
}

describe('two tabs', () => {
  it(`end alike after ${OPERATIONS} random operations, whatever each has heard when, and nothing that was said is lost`, () => {
    fc.assert(
      fc.property(operations, (all) => {
        const world = createWorld();
        for (const operation of all) world.run(operation);
        world.settle();
        const [a, b] = world.tabs;
        expect(a.chats).toEqual(b.chats);
        expect(a.chats).toEqual(world.stored());
        const kept = new Map(partsOf(a.chats).messages.map(({ id, turn }) => [id, turn.value.text]));
        expect(kept).toEqual(world.said);
        expect(summariesOf(a.chats)).toEqual(summariesOf(b.chats));
      }),
      { numRuns: repeats(100, 400) },
    );
  });

  it('can show every message that is not deleted', () => {
    fc.assert(
      fc.property(operations, (all) => {
        const world = createWorld();
        for (const operation of all) world.run(operation);
        const { heads, messages } = world.stored();
        for (const head of Object.values(heads)) {
          const own = messages[head.id] ?? {};
          for (const { id, deleted } of Object.values(own)) {
            if (deleted.value) continue;
            const [shown] = showBranch(head, own, id, { time: 1e9, tab: 'c' }).heads;
            expect(shownMessages(shown ?? head, own).map((message) => message.id)).toContain(id);
            expect(versionsOf(own, id)).toContain(id);
          }
        }
      }),
      { numRuns: repeats(30, 120) },
    );
  });
});

describe('a merge', () => {
  it('that changes nothing gives the same objects, and else changes what it must alone', () => {
    const at = { time: 1, tab: 'a' };
    const patches = ['one', 'other'].map((id) => addTurn(newHead(id, at), null, words(`in ${id}`), at));
    const chats = patches.reduce(merge, NO_CHATS);
    expect(merge(chats, structuredClone(patches[0] ?? { heads: [], messages: [] }))).toBe(chats);
    const [head] = patches[0]?.heads ?? [];
    if (!head) throw new Error('a say changes the head');
    const renamed = merge(chats, { heads: [withValues(head, { title: 'new' }, { time: 2, tab: 'a' })], messages: [] });
    expect(renamed.heads).not.toBe(chats.heads);
    expect(renamed.heads.other).toBe(chats.heads.other);
    expect(renamed.messages).toBe(chats.messages);
    const more = merge(chats, addTurn(head, 'in one', words('more'), at));
    expect(more.messages.one).not.toBe(chats.messages.one);
    expect(more.messages.other).toBe(chats.messages.other);
  });

  it('does not give an erased conversation its words again, unless it is brought back', () => {
    const at = (time: number) => ({ time, tab: 'a' });
    const settings = { ...NO_SETTINGS, system: 'words of a prompt' };
    const head = withValues(newHead('c', at(1), settings), { title: 'words of a title' }, at(2));
    const deleted = withValues(head, { deleted: true }, at(3));
    const gone = mergeHead(deleted, erased(deleted));
    expect(JSON.stringify(gone)).not.toContain('words');
    expect(isErased(gone)).toBe(true);
    const renamed = withValues(deleted, { title: 'new words' }, at(4));
    expect(JSON.stringify(mergeHead(gone, renamed))).not.toContain('words');
    expect(JSON.stringify(mergeHead(renamed, gone))).not.toContain('words');
    const back = mergeHead(gone, withValues(deleted, { deleted: false }, at(5)));
    expect(back).toMatchObject({ title: { value: 'words of a title' }, settings: { value: settings } });
    expect(isErased(back)).toBe(false);
  });

  it('gives the same in any order, and again', () => {
    fc.assert(
      fc.property(operations, fc.infiniteStream(fc.nat()), (all, random) => {
        const patches: Patch[] = [];
        const world = createWorld();
        for (const operation of all) {
          const before = world.tabs[1 - operation.tab]?.inbox.length ?? 0;
          world.run(operation);
          patches.push(...(world.tabs[1 - operation.tab]?.inbox.slice(before) ?? []));
        }
        const shuffled = patches
          .map((patch) => ({ patch, place: random.next().value }))
          .sort((one, other) => one.place - other.place)
          .map(({ patch }) => patch);
        const joined = [...shuffled, ...shuffled].reduce(merge, NO_CHATS);
        expect(joined).toEqual(world.stored());
      }),
      { numRuns: repeats(30, 120) },
    );
  });
});
