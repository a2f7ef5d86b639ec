import { defineFamily } from '../family.ts';
import { integer, object, pageList, string } from '../openapi/json-schema.ts';
import {
  createConversation,
  createItems,
  deleteConversation,
  deleteItem,
  getConversation,
  getItem,
  listItems,
  updateConversation,
} from './handler.ts';
import { conversationItemsSchema, conversationRequestSchema, conversationUpdateSchema } from './schema.ts';

const PLACE = '/v1/conversations/{conversation_id}';

/** OpenAI's conversations: items that clients keep here, for the responses that belong to them. */
export const conversations = defineFamily({
  routes: [
    {
      method: 'POST',
      path: '/v1/conversations',
      handler: createConversation,
      id: 'createConversation',
      summary: 'Stores a new conversation, empty or with items.',
      body: { name: 'ConversationRequest', schema: conversationRequestSchema },
      response: 'Conversation',
    },
    {
      method: 'POST',
      path: `${PLACE}/items`,
      handler: createItems,
      id: 'createConversationItems',
      summary: 'Appends items to a conversation.',
      body: { name: 'ConversationItemsRequest', schema: conversationItemsSchema },
      response: 'ConversationItemList',
    },
    {
      method: 'GET',
      path: `${PLACE}/items`,
      handler: listItems,
      id: 'listConversationItems',
      summary: 'The items of a conversation, in pages: limit, order and after are in the query.',
      response: 'ConversationItemList',
    },
    {
      method: 'GET',
      path: `${PLACE}/items/{item_id}`,
      handler: getItem,
      id: 'getConversationItem',
      summary: 'One item of a conversation.',
      response: 'ConversationItem',
    },
    {
      method: 'DELETE',
      path: `${PLACE}/items/{item_id}`,
      handler: deleteItem,
      id: 'deleteConversationItem',
      summary: 'Removes an item from a conversation.',
      response: 'Conversation',
    },
    {
      method: 'GET',
      path: PLACE,
      handler: getConversation,
      id: 'getConversation',
      summary: 'A conversation that is still stored, without its items.',
      response: 'Conversation',
    },
    {
      method: 'POST',
      path: PLACE,
      handler: updateConversation,
      id: 'updateConversation',
      summary: 'Replaces the metadata of a conversation.',
      body: { name: 'ConversationUpdate', schema: conversationUpdateSchema },
      response: 'Conversation',
    },
    {
      method: 'DELETE',
      path: PLACE,
      handler: deleteConversation,
      id: 'deleteConversation',
      summary: 'Forgets a conversation and its items.',
      response: 'ConversationDeleted',
    },
  ],
  schemas: {
    Conversation: object({
      id: string,
      object: { const: 'conversation' },
      created_at: integer,
      metadata: { type: 'object' },
    }),
    ConversationItem: object({ id: string, type: string }),
    ConversationItemList: pageList({ type: 'object' }),
    ConversationDeleted: object({ id: string, object: { const: 'conversation.deleted' }, deleted: { const: true } }),
  },
});
