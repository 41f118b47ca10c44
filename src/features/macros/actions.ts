/** Makes the actions of macros and rules on a conversation. */
import { isDeepStrictEqual } from 'node:util';
import type { Kit } from '../../kit.ts';
import type { Need } from '../../platform/http/needs.ts';
import type { Acting, TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import { getOwnProperty } from '../../platform/values/own-property.ts';
import { checkInside, invalid } from '../../platform/values/errors.ts';
import { readOwningCompany } from '../companies/owning-company.ts';
import { makeChange, type Change } from '../conversations/bulk/change.ts';
import { checkChange } from '../conversations/bulk/runs.ts';
import type { ConversationChange } from '../conversations/bulk/schemas.ts';
import { expectConversation } from '../conversations/conversations.ts';
import type { Conversation } from '../conversations/schemas.ts';
import { storeNote } from '../messages/messages.ts';
import { checkVariables } from '../quick-replies/quick-replies.ts';
import { prepareContent, readContent } from '../scheduled-messages/content.ts';
import { leaveClosed, storeScheduled } from '../scheduled-messages/scheduled-messages.ts';
import { checkGivenFiles } from '../templates/given-files.ts';
import type { ScheduledContentRecord } from '../scheduled-messages/schemas.ts';
import type { Actions } from './schemas.ts';

/** The scopes a caller needs to save or run these actions: the same as for doing each of them directly. */
export const actionNeeds = <A>(
  read: (tenant: Parameters<NonNullable<Need<A>['arises']>>[0], asked: A) => Promise<Actions | null> | Actions | null,
): Need<A>[] => [
  {
    scopes: ['messages:create'],
    when: 'if the actions write to the contact',
    arises: async (tenant, asked) => writesToContact(await read(tenant, asked)),
  },
  {
    scopes: ['notes:create'],
    when: 'if the actions write a note',
    arises: async (tenant, asked) => (await read(tenant, asked))?.note !== undefined,
  },
];

const writesToContact = (actions: Actions | null): boolean =>
  actions?.reply !== undefined || actions?.template !== undefined;

/** Throws for actions that can be made in no conversation. Errors name the field inside `actions`. */
export const checkActions = (read: TenantRead, actions: Actions): Promise<void> =>
  checkInside('actions', async () => {
    if (actions.reply !== undefined && actions.template) throw invalid('template', 'is not allowed with reply');
    if (actions.snooze_minutes !== undefined && actions.status !== undefined)
      throw invalid('snooze_minutes', 'is not allowed with status');
    if (actions.handled_by === 'AI' && !actions.agent) throw invalid('agent', 'is required for AI', 'REQUIRED');
    checkVariables(actions.reply ?? '', 'reply');
    await checkGivenFiles(read, actions.template, 'template');
    const { change } = splitActions(actions);
    await checkChange(read, change);
  });

interface SplitActions {
  /** The message to the contact; null for none. */
  message: ScheduledContentRecord | null;
  change: ConversationChange;
}

function splitActions({ note: _note, reply, template, snooze_minutes, ...change }: Actions): SplitActions {
  const until = snooze_minutes && new Date(Date.now() + snooze_minutes * 60_000).toISOString();
  const message = template
    ? readContent({ contentType: 'TEMPLATE', template })
    : reply === undefined
      ? null
      : readContent({ content: reply });
  return { message, change: until ? { ...change, status: 'SNOOZED', snoozed_until: until } : change };
}

/** Checks before the transaction whether the message can be sent, because the network may be asked for its template. Throws the errors of a send. */
export async function prepareActions(kit: Kit, acting: Acting, conversation: string, actions: Actions): Promise<void> {
  const { message } = splitActions(actions);
  if (message) await prepareContent(kit, acting, { conversation, message });
}

export interface ActionsRun extends Pick<Change, 'audit'> {
  conversation: string;
  actions: Actions;
  /** How long the message to the contact can be cancelled. */
  holdSeconds: number;
}

/**
 * Makes the actions in the caller's transaction. The message to the contact is left to the loop of scheduled messages, under the rules of
 * every send, and does not reopen a conversation that is closed then. Returns its id; null when there is none.
 */
export async function makeActions(
  kit: Kit,
  tx: TenantTx,
  acting: Acting,
  { conversation, actions, holdSeconds, audit }: ActionsRun,
): Promise<string | null> {
  const { message, change } = splitActions(actions);
  const { note } = actions;
  if (note !== undefined)
    await storeNote(kit, tx, acting, { conversationId: conversation, message: { content: note } });
  const scheduled = message && (await scheduleMessage(tx, acting, { conversation, message, holdSeconds }));
  if (!isDeepStrictEqual(change, {})) await makeChange(kit, tx, acting, { id: conversation, change, audit });
  if (scheduled !== null) await leaveClosed(tx, scheduled);
  return scheduled;
}

async function scheduleMessage(
  tx: TenantTx,
  acting: Acting,
  given: { conversation: string; message: ScheduledContentRecord; holdSeconds: number },
): Promise<string> {
  const { conversation, message, holdSeconds } = given;
  const content = message.content && (await fillVariables(tx, acting, conversation, message.content));
  if (content?.trim() === '') throw invalid('reply', 'is empty without the variables that are not known');
  return storeScheduled(tx, acting, {
    conversation,
    message: { ...message, content },
    reply_to: null,
    cancel_on_reply: false,
    is_held: true,
    send_at: new Date(Date.now() + holdSeconds * 1_000),
  });
}

/** Fills the variables of a text. What is not known is left out, because nobody looks at the text before it is sent. */
async function fillVariables(tx: TenantTx, { actor }: Acting, id: string, text: string): Promise<string> {
  if (!text.includes('{{')) return text;
  const { contact_summary }: Conversation = await expectConversation(tx, id);
  const { name, email, phone_number } = contact_summary;
  const values = {
    'contact.name': name,
    'contact.first_name': name?.trim().split(/\s+/)[0],
    'contact.email': email,
    'contact.phone_number': phone_number,
    'user.name': actor.type === 'user' ? actor.name : '',
    'company.name': (await readOwningCompany(tx)).name,
  };
  return text.replaceAll(
    /\{\{\s*([\w.]+)\s*\}\}/g,
    (_whole, variable: string) => getOwnProperty(values, variable) ?? '',
  );
}
