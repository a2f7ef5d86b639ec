import { type ComponentType, h, options, render } from 'preact';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newReply, type Turn } from '../../../../web/chat/conversation/conversation.ts';
import { addTurn, newHead } from '../../../../web/chat/conversation/tree/operations.ts';
import { createClock } from '../../../../web/chat/conversation/tree/stamp.ts';
import { coming } from '../../../../web/chat/reply/reply.ts';
import {
  currentConversation,
  currentDraft,
  currentModel,
  draftKey,
  messagesOf,
  runningIds,
} from '../../../../web/chat/state/selectors.ts';
import { isShallowEqual } from '../../../../web/chat/state/shallow.ts';
import { initialState, reduce, type State } from '../../../../web/chat/state/state.ts';
import { createStore } from '../../../../web/chat/state/store.ts';
import { StoreContext, useSelect } from '../../../../web/chat/state/use-select.ts';

const clock = createClock('tab', () => 1);
const question: Turn = { role: 'user', id: 'question', text: 'Why?', images: [] };
const reply = newReply('m');

/** A page with one conversation, in which a reply grows. */
function openPage() {
  const head = newHead('c', clock.next());
  const store = createStore(reduce, initialState(head, null));
  const asked = addTurn(head, null, question, clock.next());
  store.dispatch({ kind: 'patch', patch: asked });
  const [saidHead = head] = asked.heads;
  store.dispatch({ kind: 'patch', patch: addTurn(saidHead, question.id, reply, clock.next()) });
  store.dispatch({ kind: 'coming', conversationId: 'c', coming: coming(reply) });
  return store;
}

/** Draws a component for each selector, and returns how often each was drawn. No component has elements, so no DOM is needed. */
function drawAll<Name extends string>(
  store: ReturnType<typeof openPage>,
  selectors: Record<Name, (state: State) => unknown>,
) {
  const drawn = Object.fromEntries(Object.keys(selectors).map((name) => [name, 0])) as Record<Name, number>;
  const parts = (Object.keys(selectors) as Name[]).map((name) => {
    const Part: ComponentType = () => {
      drawn[name] += 1;
      useSelect(selectors[name]);
      return null;
    };
    return h(Part, null);
  });
  const page = { childNodes: [], firstChild: null, nodeType: 1 } as unknown as Element;
  render(h(StoreContext.Provider, { value: store }, parts), page);
  return drawn;
}

describe('a component that selects from the state', () => {
  const { debounceRendering, requestAnimationFrame } = options;
  beforeEach(() => {
    options.debounceRendering = (work) => work();
    options.requestAnimationFrame = (work) => work();
  });
  afterEach(() => Object.assign(options, { debounceRendering, requestAnimationFrame }));

  /** The selections of the turns, of the list of chats, of a reply that grows and of the composer. */
  const selectors = {
    conversation: currentConversation,
    messages: (state: State) => messagesOf(state, state.currentId),
    model: currentModel,
    running: runningIds,
    several: (state: State) => ({ models: state.models, kept: state.kept }),
    coming: (state: State) => state.coming[reply.id],
    draft: currentDraft,
  };
  const once = { conversation: 1, messages: 1, model: 1, running: 1, several: 1, coming: 1, draft: 1 };

  it('is drawn once, and again only if what it selects has changed', () => {
    const store = openPage();
    const drawn = drawAll(store, selectors);
    expect(drawn).toEqual(once);
    store.dispatch({ kind: 'announce', text: 'The reply is finished.' });
    expect(drawn).toEqual(once);
    store.dispatch({ kind: 'kept', kept: false });
    expect(drawn).toEqual({ ...once, several: 2 });
  });

  it('is not drawn while a message is typed, but for the composer', () => {
    const store = openPage();
    const drawn = drawAll(store, selectors);
    for (const text of ['H', 'He', 'Hey']) {
      const draft = { text: { value: text, at: clock.next() } };
      store.dispatch({ kind: 'draft', key: draftKey(store.get()), draft });
    }
    expect(drawn).toEqual({ ...once, draft: 4 });
  });

  it('is not drawn while a reply grows, but for that reply', () => {
    const store = openPage();
    const drawn = drawAll(store, selectors);
    const grown = { ...coming(reply), reply: { ...reply, text: 'Because' } };
    store.dispatch({ kind: 'coming', conversationId: 'c', coming: grown });
    expect(drawn).toEqual({ ...once, coming: 2 });
    store.dispatch({ kind: 'ended', replyId: reply.id });
    expect(drawn).toEqual({ ...once, coming: 3, conversation: 2, running: 2 });
  });
});

describe('two selections', () => {
  const element = {};

  it.each([
    ['the same value', 1, 1],
    ['arrays with the same elements', [element, 'a'], [element, 'a']],
    ['objects with the same values', { a: element }, { a: element }],
    ['NaN', [Number.NaN], [Number.NaN]],
  ])('are equal: %s', (_, one, other) => {
    expect(isShallowEqual(one, other)).toBe(true);
  });

  it.each([
    ['other elements', [{}], [{}]],
    ['another length', [element], [element, element]],
    ['another key', { a: undefined }, { b: undefined }],
    ['an array and an object', [], {}],
    ['null and an object', null, {}],
    ['instances of classes', new Map(), new Map()],
  ])('are different: %s', (_, one, other) => {
    expect(isShallowEqual(one, other)).toBe(false);
  });
});
