import { findGround } from '../api/ground.ts';
import { type DraftActions, draftActions } from '../composer/actions.ts';
import { sharedText } from '../composer/shared.ts';
import { type ConversationActions, conversationActions } from '../conversation/actions.ts';
import { type MessageActions, messageActions } from '../conversation/message-actions.ts';
import { mayPass } from '../messages/problem.ts';
import { type ModelActions, modelActions } from '../models/actions.ts';
import { type FinderActions, finderActions } from '../models/finder-actions.ts';
import { type HomeActions, homeActions } from '../models/home-actions.ts';
import { followPresets, type PresetActions, presetActions } from '../presets/actions.ts';
import { type PromptActions, promptActions } from '../prompts/actions.ts';
import { type ReplyActions, type ReplyKeeping, replyActions } from '../reply/actions.ts';
import { type FolderActions, folderActions } from '../sidebar/folder-actions.ts';
import { type SearchActions, searchActions } from '../sidebar/search-actions.ts';
import { type ToolActions, toolActions } from '../tools/actions.ts';
import { type CallActions, callActions } from '../tools/call-actions.ts';
import { type TransferActions, transferActions } from '../transfer/actions.ts';
import { type WindowActions, windowActions } from '../window/actions.ts';
import { dropQuery } from './address.ts';
import { type Context, localizedMessageOf, tell } from './context-actions.ts';
import { keepKey } from './preferences.ts';
import { followTabs } from './tab-actions.ts';

/** All actions of the page. */
export interface Actions {
  /** Reads the storage, finds the API and fetches the data for the first view. */
  open(): void;
  /** Tries again to find the API. */
  start(): Promise<void>;
  /** Stores this key, and finds the API again with it. */
  giveKey(key: string): Promise<void>;
  /** Shows a short message. */
  tell(text: string): void;
  dismissNotice(): void;
  models: ModelActions;
  hub: FinderActions;
  replies: ReplyActions;
  messages: MessageActions;
  calls: CallActions;
  tools: ToolActions;
  home: HomeActions;
  conversations: ConversationActions;
  transfer: TransferActions;
  folders: FolderActions;
  search: SearchActions;
  drafts: DraftActions;
  /** Actions for a context window that fills up. */
  window: WindowActions;
  presets: PresetActions;
  prompts: PromptActions;
}

/** Writes the text that another app shares into the draft. It is sent only when the person sends the message. */
function takeShared(drafts: DraftActions): void {
  const text = sharedText(location.search);
  if (text === null) return;
  drafts.write({ text });
  dropQuery();
}

export function createActions(context: Context): Actions {
  const { store } = context;
  const models = modelActions(context, () => void restored.then(replies.resume));
  const tools = toolActions(context);
  const home = homeActions(context, () => models.refresh().catch(() => {}), models.refreshHealth);
  const replies: ReplyActions & ReplyKeeping = replyActions(context, models, {
    begin: (id) => {
      calls.begin(id);
      // The reply may have failed because the server does not answer any more.
      void home.look();
    },
    stop: (id) => calls.stop(id),
    stopOwn: (id) => calls.stopOwn(id),
  });
  const calls = callActions(context, { answer: replies.answer, runTool: tools.runTool });
  const drafts = draftActions(context);
  const prompts = promptActions(context);
  const conversations = conversationActions(context, { stop: replies.stop, resume: replies.resume, drafts });
  let restored: Promise<void> = Promise.resolve();

  const start = async () => {
    try {
      store.dispatch({ kind: 'startup', startup: { kind: 'starting' } });
      const found = await findGround((progress) =>
        store.dispatch({ kind: 'startup', startup: { kind: 'fetching', ...progress } }),
      );
      const ground = found === 'browser' ? await home.begin() : found;
      if (found === 'server') home.followServer();
      store.dispatch({ kind: 'startup', startup: { kind: 'ready', ground } });
      await restored;
      await models.refresh();
      models.resumeArrival();
    } catch (error) {
      // If the server wants a key, the key dialog opens instead.
      if (store.get().keyWanted !== null) return;
      const message = localizedMessageOf(error);
      store.dispatch({ kind: 'startup', startup: { kind: 'failed', message, retry: mayPass(error) } });
    }
  };

  return {
    open: () => {
      followPresets(context);
      const listed = conversations.restore();
      restored = Promise.race([listed, context.database.blocked]);
      // The list of conversations may come long after the models, and waiting replies need both.
      void listed.then(replies.resume);
      takeShared(drafts);
      tools.restore();
      followTabs(context, { ...replies, tellCalls: calls.tellTabs }, conversations.followAddress);
      prompts.follow();
      addEventListener('popstate', conversations.followAddress);
      void start();
    },
    start,
    giveKey: async (key) => {
      keepKey(key);
      store.dispatch({ kind: 'key wanted', message: null });
      await start();
    },
    tell: (text) => tell(context, text),
    dismissNotice: () => store.dispatch({ kind: 'notice', notice: null }),
    models,
    hub: finderActions(context),
    // A message that is sent before the conversations are read would begin a new conversation.
    replies: {
      ...replies,
      send: (text, attachments, from) => {
        const whole = { conversationId: store.get().currentId, ...from };
        void restored.then(() => replies.send(text, attachments, whole));
      },
    },
    messages: messageActions(context, { stop: replies.stop, beginCalls: calls.begin }),
    calls,
    tools,
    home,
    conversations,
    transfer: transferActions(context, prompts),
    folders: folderActions(context, conversations.begin),
    search: searchActions(context, conversations.open),
    drafts,
    window: windowActions(context, async (id) => {
      const before = store.get().currentId;
      await conversations.open(id);
      drafts.takeOver(before);
    }),
    presets: presetActions(context),
    prompts,
  };
}
