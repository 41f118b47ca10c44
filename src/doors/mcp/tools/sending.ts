/**
 * Sending in two steps: a draft shows what would go to whom, and sending takes nothing but the draft. So a person can look between the two,
 * and a repeated call sends nothing twice.
 */
import { createHash } from 'node:crypto';
import { Type, type Static } from 'typebox';
import { newId } from '../../../platform/values/ids.ts';
import { getOwnProperty } from '../../../platform/values/own-property.ts';
import { declareLimit } from '../../../platform/values/limits.ts';
import type { JsonObject } from '../../json.ts';
import { defineTool, Id, Optional, Text, ToolError, type ToolCaller } from '../tool.ts';
import { cleanOrNull, cleanText } from '../untrusted.ts';
import { findBody, nameVariable } from './setup.ts';

const DRAFT_MS = declareLimit(600_000, {
  topic: 'MCP',
  what: 'Draft of a message: validity',
  unit: 'ms',
  beyond: 'DRAFT_EXPIRED',
});
const SENDS_PER_DAY = declareLimit(50, {
  topic: 'MCP',
  what: 'Messages sent with one key per day, with a burst of as many',
  beyond: 'RATE_LIMITED',
});
const DAY_SECONDS = 86_400;

const Template = Type.Object({
  name: Text('Its name', 512),
  language: Text('Its language, such as pt_BR', 20),
  variables: Optional(
    Type.Record(Type.String(), Type.String(), { description: 'Values by the names of list_templates' }),
  ),
});
type Template = Static<typeof Template>;

/** What is sent, and what the draft was made from. */
interface Draft {
  id: string;
  path: string;
  body: JsonObject;
  /** The conversation, and what its contact had written last; null for none. */
  conversation: string | null;
  heard: string | null;
  expires_at: string;
}

export const SENDING = [
  defineTool({
    name: 'prepare_message',
    set: 'sending',
    title: 'Prepare a message',
    description:
      'Checks a message and returns a draft for send_message, with what would be sent to whom. It sends nothing itself.',
    kind: 'READ',
    scopes: ['messages:create', 'messages:read', 'conversations:read', 'contacts:read'],
    input: {
      conversation: Optional(Id('The conversation; or inbox with contact or phone')),
      inbox: Optional(Id('The inbox to send from')),
      contact: Optional(Id('The contact')),
      phone: Optional(Text('A number with country code', 40)),
      text: Optional(Text('The text, or the caption of the attachment', 4_096)),
      template: Optional(Template),
      attachment: Optional(Id('An uploaded file')),
    },
    async run(caller, { conversation, inbox, contact, phone, ...content }) {
      const target = await findTarget(caller, { conversation, inbox, contact, phone });
      const made = await makeContent(caller, target.inbox, content);
      const heard = target.conversation && (await findLastHeard(caller, target.conversation['_id'] as string));
      const expires_at = new Date(Date.now() + DRAFT_MS).toISOString();
      const draft: Draft = {
        id: newId(),
        path: made.path,
        body: { ...target.body, message: made.message },
        conversation: target.conversation?.['_id'] ?? null,
        heard: heard?.['_id'] ?? null,
        expires_at,
      };
      return {
        draft: caller.kit.secrets.seal(JSON.stringify(draft), nameContext(caller)),
        to: target.to,
        via: target.inbox,
        rendered: made.rendered,
        window_open_until: target.conversation?.['window_expires_at'] ?? null,
        warnings: [...target.warnings, ...warnAboutWindow(target.conversation, content)],
        expires_at,
      };
    },
  }),
  defineTool({
    name: 'send_message',
    set: 'sending',
    title: 'Send a prepared message',
    description:
      'Sends the draft of prepare_message to its contact. Only after a person has agreed to what the draft shows.',
    kind: 'SEND',
    scopes: ['messages:create', 'messages:read', 'conversations:read', 'contacts:read'],
    input: { draft: Text('draft of prepare_message', 20_000) },
    async run(caller, { draft: sealed }) {
      const draft = openDraft(caller, sealed);
      await refuseChanged(caller, draft);
      await countSend(caller);
      const sent = await caller.call('POST', draft.path, { body: draft.body, idempotencyKey: `mcp-${draft.id}` });
      const [error] = sent['errors'] as JsonObject[];
      return {
        message: sent['_id'],
        conversation: sent['conversation'],
        status: sent['status'],
        error: error ? `${error['code']}: ${error['title']}` : null,
      };
    },
  }),
];

/** A draft belongs to the key that prepared it. */
const nameContext = ({ companyId, principal }: ToolCaller): string => `mcp-draft:${companyId}:${principal.id}`;

function openDraft(caller: ToolCaller, sealed: string): Draft {
  let draft: Draft;
  try {
    draft = JSON.parse(caller.kit.secrets.open(sealed, nameContext(caller))) as Draft;
  } catch (error) {
    // Failure policy: whatever is no draft of this key is refused in one way.
    throw new ToolError('UNKNOWN_DRAFT: give the draft of prepare_message unchanged', { cause: error });
  }
  if (draft.expires_at <= new Date().toISOString()) throw new ToolError('DRAFT_EXPIRED: prepare the message again');
  return draft;
}

/** Refuses a draft whose contact has written since. */
async function refuseChanged(caller: ToolCaller, { conversation, heard }: Draft): Promise<void> {
  const newest = conversation === null ? null : await findLastHeard(caller, conversation);
  if (!newest || newest['_id'] === heard) return;
  throw new ToolError(
    JSON.stringify({
      code: 'CONVERSATION_CHANGED',
      detail: 'The contact has written since the draft was prepared. Read it and prepare the message again',
      untrusted_text: cleanOrNull(newest['content']),
    }),
  );
}

/** Returns the newest message of the contact, if it is among the last ones of the conversation. */
async function findLastHeard({ call }: ToolCaller, conversation: string): Promise<JsonObject | null> {
  const query = { sort: '-createdAt', limit: 50, skipCount: true };
  const { result } = await call('GET', `/v1/messages/conversation/${conversation}`, { query });
  return (result as JsonObject[]).find(({ message_type }) => message_type === 'INCOMING') ?? null;
}

async function countSend({ kit, principal }: ToolCaller): Promise<void> {
  const subject = `mcp-sends:${createHash('sha256').update(principal.id).digest('base64url')}`;
  const allowance = { subject, capacity: SENDS_PER_DAY, refillPerSecond: SENDS_PER_DAY / DAY_SECONDS };
  const { admitted, retryAfterSeconds } = await kit.access.limits.admit([allowance]);
  if (!admitted) throw new ToolError(`RATE_LIMITED: this key has sent enough today; next in ${retryAfterSeconds} s`);
}

interface Target {
  body: JsonObject;
  inbox: string;
  conversation: JsonObject | null;
  to: JsonObject;
  warnings: string[];
}

async function findTarget(
  { call, may }: ToolCaller,
  given: {
    conversation: string | undefined;
    inbox: string | undefined;
    contact: string | undefined;
    phone: string | undefined;
  },
): Promise<Target> {
  if (given.conversation !== undefined) {
    const conversation = await call('GET', `/v1/conversations/${given.conversation}`);
    const contact = await call('GET', `/v1/contacts/${conversation['contact']}`);
    return {
      body: { conversationId: given.conversation },
      inbox: conversation['inbox'] as string,
      conversation,
      to: showRecipient(contact),
      warnings: [
        ...warnAboutContact(contact),
        ...(conversation['handled_by'] === 'AI' ? ['An AI agent answers in this conversation'] : []),
      ],
    };
  }
  const { inbox, contact: id, phone } = given;
  if (inbox === undefined || (id === undefined) === (phone === undefined))
    throw new ToolError('Give conversation, or inbox with either contact or phone');
  if (id === undefined) {
    if (may('inboxes:read')) await call('GET', `/v1/inboxes/${inbox}`);
    const warnings = ['The number was given in this call: make sure that it is the right person'];
    return { body: { inboxId: inbox, phone }, inbox, conversation: null, to: { phone }, warnings };
  }
  const contact = await call('GET', `/v1/contacts/${id}`);
  const query = { contact: id, inbox, open: true, limit: 1, skipCount: true };
  const { result } = await call('GET', '/v1/conversations', { query });
  const conversation = (result as JsonObject[])[0] ?? null;
  return {
    body: { inboxId: inbox, contact: id },
    inbox,
    conversation,
    to: showRecipient(contact),
    warnings: warnAboutContact(contact),
  };
}

const showRecipient = (contact: JsonObject): JsonObject => ({
  contact: contact['_id'],
  untrusted_name: cleanOrNull(contact['name']),
  phone: contact['phone_number'],
  email: contact['email'],
});

const warnAboutContact = ({ opted_out, blocked }: JsonObject): string[] => [
  ...(opted_out ? ['The contact has opted out of unasked messages'] : []),
  ...(blocked ? ['The contact is blocked'] : []),
];

function warnAboutWindow(conversation: JsonObject | null, { template }: { template?: unknown }): string[] {
  const until = conversation?.['window_expires_at'] as string | null | undefined;
  const isClosed = typeof until === 'string' && until <= new Date().toISOString();
  return isClosed && !template ? ['The 24 hours for free texts are over: only a template would arrive'] : [];
}

interface Content {
  path: string;
  message: JsonObject;
  /** What the contact would read. */
  rendered: string | null;
}

async function makeContent(
  caller: ToolCaller,
  inbox: string,
  { text, template, attachment }: { text?: string; template?: Template; attachment?: string },
): Promise<Content> {
  if ((template === undefined) === (text === undefined && attachment === undefined))
    throw new ToolError('Give either a template, or a text or an attachment');
  if (template) return makeTemplate(caller, inbox, template);
  if (attachment === undefined)
    return { path: '/v1/messages/send-text', message: { content: text }, rendered: text ?? null };
  const { file_type } = await caller.call('GET', `/v1/resource/attachments/${attachment}`);
  const path = `/v1/messages/send-${String(file_type).toLowerCase()}`;
  return { path, message: { attachment, ...(text !== undefined && { content: text }) }, rendered: text ?? null };
}

async function makeTemplate(
  { call }: ToolCaller,
  inbox: string,
  { name, language, variables = {} }: Template,
): Promise<Content> {
  const query = { name, language, limit: 1, skipCount: true };
  const { result } = await call('GET', `/v1/inboxes/${inbox}/templates`, { query });
  const found = (result as JsonObject[])[0];
  if (!found) throw new ToolError(`UNKNOWN_TEMPLATE: the inbox has no template ${name} in ${language}`);
  const parameters = (found['parameters'] as JsonObject[]).map((parameter) => ({
    parameter,
    value: getOwnProperty(variables, nameVariable(parameter)),
  }));
  const missing = parameters.filter(({ parameter, value }) => parameter['required'] && value === undefined);
  if (missing.length > 0)
    throw new ToolError(`MISSING_VARIABLE: ${missing.map(({ parameter }) => nameVariable(parameter)).join(', ')}`);
  const given = parameters.filter(({ value }) => value !== undefined);
  const components = [
    ...Map.groupBy(given, ({ parameter: { component, index } }) => `${component} ${index}`).values(),
  ].map((group) => {
    const [{ parameter }] = group as [(typeof group)[number]];
    return {
      type: String(parameter['component']).toLowerCase(),
      ...(parameter['index'] !== null && { index: parameter['index'] as number }),
      parameters: group.map(({ parameter: { name: own }, value }) => ({
        value,
        ...(own !== null && { parameter_name: own as string }),
      })),
    };
  });
  return {
    path: '/v1/messages/send-template',
    message: { template: { name, language, ...(components.length > 0 && { components }) } },
    rendered: fillIn(findBody(found['components']), variables),
  };
}

const fillIn = (body: string | null, variables: Record<string, string>): string | null =>
  body &&
  cleanText(
    body.replaceAll(/\{\{\s*([\w.]+)\s*\}\}/g, (whole, name: string) => getOwnProperty(variables, name) ?? whole),
  );
