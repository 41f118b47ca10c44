/** Tools for conversations and their messages. */
import { Type } from 'typebox';
import { nullable } from '../../../platform/values/schema.ts';
import type { JsonObject } from '../../json.ts';
import { defineTool, Id, Optional, PAGE, readList, Text, ToolError, type ToolCaller } from '../tool.ts';
import { showConversation, showFoundMessage, showMessage } from '../views.ts';

const STATUSES = ['OPEN', 'PENDING', 'SNOOZED', 'CLOSED'] as const;
const Status = Type.Enum([...STATUSES]);
const MINUTE_MS = 60_000;
// The list of waiting contacts reads at most this many pages for one answer.
const PAGES = 5;

export const CONVERSATIONS = [
  defineTool({
    name: 'list_conversations',
    set: 'conversations',
    title: 'List conversations',
    description:
      'Lists conversations, the latest activity first, by status, inbox, person, team, tag or waiting time. Not for their messages: use get_conversation.',
    kind: 'READ',
    scopes: ['conversations:read'],
    input: {
      status: Optional(Status),
      inbox: Optional(Id('An inbox')),
      contact: Optional(Id('A contact')),
      assigned_to: Optional(Id('The user who owns it')),
      unassigned: Optional(Type.Boolean({ description: 'true: only those without an owner' })),
      team: Optional(Id('Its team')),
      tag: Optional(Text('A tag', 100)),
      waiting_over_minutes: Optional(
        Type.Integer({ minimum: 1, description: 'Open ones whose contact has waited longer for an answer' }),
      ),
      query: Optional(Text('Part of the contact’s name, e-mail, number or WhatsApp username')),
      ...PAGE,
    },
    run(caller, { assigned_to, unassigned, query: search, waiting_over_minutes: minutes, limit, cursor, ...filters }) {
      const owner = assigned_to ?? (unassigned ? 'none' : undefined);
      const query = { ...filters, owner, search, sort: '-last_message_at' };
      const page = { ...(limit !== undefined && { limit }), ...(cursor !== undefined && { cursor }) };
      if (minutes === undefined) return readList(caller, '/v1/conversations', page, { query, show: showConversation });
      return listWaiting(caller, query, { minutes, limit: limit ?? 20, cursor });
    },
  }),
  defineTool({
    name: 'get_conversation',
    set: 'conversations',
    title: 'Read a conversation',
    description:
      'Returns a conversation and its newest messages, oldest first. Not for searching words: use search_messages.',
    kind: 'READ',
    scopes: ['conversations:read', 'messages:read'],
    input: {
      conversation: Id('The conversation'),
      messages: Optional(Type.Integer({ minimum: 1, maximum: 50, description: '20 by default' })),
      before: Optional(Text('next_cursor: the messages before those')),
    },
    async run(caller, { conversation, messages: limit = 20, before }) {
      const head = await caller.call('GET', `/v1/conversations/${conversation}`);
      const page = { limit, ...(before !== undefined && { cursor: before }) };
      const path = `/v1/messages/conversation/${conversation}`;
      const { items, ...rest } = await readList(caller, path, page, {
        query: { sort: '-createdAt' },
        show: showMessage,
      });
      return { ...showConversation(head), messages: (items as JsonObject[]).toReversed(), ...rest };
    },
  }),
  defineTool({
    name: 'search_messages',
    set: 'conversations',
    title: 'Search messages',
    description:
      'Finds messages with words that begin with each given word, newest first. Not for contacts: use search_contacts.',
    kind: 'READ',
    scopes: ['messages:read'],
    input: {
      query: Text('Words'),
      inbox: Optional(Id('An inbox')),
      contact: Optional(Id('A contact')),
      since: Optional(Text('Only messages that changed after this time (ISO 8601)', 40)),
      ...PAGE,
    },
    run: (caller, { query: search, inbox, contact, since, ...page }) =>
      readList(caller, '/v1/messages', page, {
        query: { search, inbox, contact, updated_since: since },
        show: showFoundMessage,
      }),
  }),
  defineTool({
    name: 'get_counts',
    set: 'conversations',
    title: 'Count conversations',
    description:
      'Returns how many conversations are open, unassigned or snoozed, per status, inbox and step. Not for details.',
    kind: 'READ',
    scopes: ['conversations:read'],
    input: {},
    run: (caller) => caller.call('GET', '/v1/conversations/counts'),
  }),
  defineTool({
    name: 'add_note',
    set: 'conversations',
    title: 'Write a note',
    description: 'Writes a note for the team into a conversation. Contacts never see it, so it is not an answer.',
    kind: 'WRITE',
    scopes: ['notes:create'],
    input: { conversation: Id('The conversation'), text: Text('The note', 4_096) },
    async run(caller, { conversation: conversationId, text: content }) {
      return showMessage(
        await caller.call('POST', '/v1/messages/note', { body: { conversationId, message: { content } } }),
      );
    },
  }),
  defineTool({
    name: 'update_conversation',
    set: 'conversations',
    title: 'Change a conversation',
    description:
      'Changes status, owner, team, agent, step, tags or custom fields of a conversation. It sends nothing to the contact.',
    kind: 'CHANGE',
    scopes: ['conversations:update'],
    input: {
      conversation: Id('The conversation'),
      status: Optional(Status),
      snoozed_until: Optional(Text('With SNOOZED: until when (ISO 8601)', 40)),
      assign_to: Optional(nullable(Id('The user who owns it; null for nobody'))),
      team: Optional(nullable(Id('Its team; null for none'))),
      agent: Optional(nullable(Id('The AI agent that answers; null for none'))),
      step: Optional(Id('A step of a pipeline')),
      tags: Optional(Type.Array(Text('A tag', 100), { maxItems: 50, description: 'Replaces all tags' })),
      custom_fields: Optional(
        Type.Record(Type.String(), Type.Unknown(), { description: 'Values by slug; null clears one' }),
      ),
    },
    async run({ call }, { conversation, assign_to: owner, ...given }) {
      const changes = { ...given, ...(owner !== undefined && { owner }) };
      if (Object.keys(changes).length === 0) throw new ToolError('Give at least one change');
      return showConversation(await call('PATCH', `/v1/conversations/${conversation}`, { body: changes }));
    },
  }),
];

/** Lists open conversations whose contact wrote last, longer ago than `minutes`. */
async function listWaiting(
  { call }: ToolCaller,
  query: JsonObject,
  { minutes, limit, cursor }: { minutes: number; limit: number; cursor: string | undefined },
): Promise<JsonObject> {
  const latest = new Date(Date.now() - minutes * MINUTE_MS).toISOString();
  const items: JsonObject[] = [];
  let after = cursor ?? null;
  for (let page = 0; page < PAGES && items.length < limit; page += 1) {
    const { result, meta } = await call('GET', '/v1/conversations', {
      query: { open: true, ...query, limit, after, skipCount: true },
    });
    items.push(...(result as JsonObject[]).filter((each) => waitsSince(each, latest)).map(showConversation));
    after = meta.nextCursor as string | null;
    if (after === null) break;
  }
  return { items, next_cursor: after };
}

function waitsSince({ last_inbound_at, last_message_at, unread_count }: JsonObject, latest: string): boolean {
  const isUnanswered = unread_count > 0 || last_inbound_at === last_message_at;
  return isUnanswered && last_inbound_at !== null && last_inbound_at < latest;
}
