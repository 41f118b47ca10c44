/** Sends templates, into a conversation or to a contact or phone number whose conversation is opened. */
import type { MessageContent } from '../../channels/content.ts';
import { composeTemplate } from '../../channels/templates/compose.ts';
import type { GivenComponent } from '../../channels/templates/given.ts';
import { hasVariables, resolveVariables } from '../../channels/templates/variables.ts';
import type { Kit } from '../../kit.ts';
import { unknownReference } from '../../platform/values/errors.ts';
import type { Acting, Tenant, TenantTx } from '../../platform/store/tenant.ts';
import { readContacts } from '../contacts/contacts.ts';
import { lockContactOf } from '../conversations/conversations.ts';
import { readMessage } from '../messages/messages.ts';
import { storeOutgoing, type StoredOutgoing } from '../messages/outgoing.ts';
import type { Header } from '../messages/files.ts';
import type { Message } from '../messages/schemas.ts';
import { findRecipientsInbox, readRecipient, withRecipient } from '../messages/recipients.ts';
import { callForStored } from '../messages/send.ts';
import { findApproved, type Approved } from './approved.ts';
import { askForCopy } from './catalogue.ts';
import { makeFaultsError } from './faults.ts';
import { checkGiven } from './parameters.ts';
import type { GivenTemplate, SendTemplate } from './schemas.ts';

const COMPONENTS = 'message.template.components';
const PATHS = { name: 'message.template.name', language: 'message.template.language' };
// The shortest pause between two copies that are made because the network refused a template.
const REFUSED_PAUSE_SECONDS = 10;

/** An approved template, with parameters that fit it. */
export interface PreparedTemplate extends Approved {
  given: GivenComponent[];
  headers: Header[];
}

/** Returns the message as it is after the call to the network. */
export async function sendTemplate(kit: Kit, acting: Acting, input: SendTemplate): Promise<Message> {
  const recipient = readRecipient(input);
  const inbox = await findRecipientsInbox(acting, recipient);
  const from = { inbox, path: 'conversation' in recipient ? 'conversationId' : 'inboxId' };
  const prepared = await prepareTemplate(kit, acting, from, input.message.template);
  const { replyTo = null } = input;
  const stored = await withRecipient(acting, recipient, (tx, conversation) =>
    storeTemplateIn(kit, tx, acting, { conversation, replyTo, prepared }),
  );
  const message = await callForStored(kit, acting, stored);
  await noteRefusedTemplate(kit, acting, prepared, message);
  return message;
}

/** Checks that the inbox has the template and that the values fit it. `path` is the place of the request that leads to the inbox. */
export async function prepareTemplate(
  kit: Kit,
  acting: Acting,
  { inbox, path }: { inbox: string; path: string },
  { name, language, components: given = [] }: GivenTemplate,
): Promise<PreparedTemplate> {
  const approved = await findApproved(kit, acting, { inbox, name, language }, { ...PATHS, inbox: path });
  const { shelf, template } = approved;
  const headers = await checkGiven(kit, acting.read, { channel: shelf.channel, template, given, path: COMPONENTS });
  return { ...approved, given, headers };
}

/** Reads the message that an earlier request with the same Idempotency-Key has sent. */
export const readSentMessage = (tenant: Tenant, id: string): Promise<Message> => readMessage(tenant, id);

/** Requests a new copy of the templates when the network refused the message because of its template. */
export async function noteRefusedTemplate(
  kit: Kit,
  acting: Acting,
  { shelf, catalogue }: Approved,
  { status, errors }: Message,
): Promise<void> {
  if (status !== 'FAILED' || !errors.some(({ code }) => shelf.templates.concernsTemplate(code))) return;
  await askForCopy(kit, acting, catalogue, REFUSED_PAUSE_SECONDS);
}

interface TemplateMessage {
  conversation: string;
  replyTo: string | null;
  keepsClosed?: boolean;
  prepared: PreparedTemplate;
}

/** Stores the message in the caller's transaction. */
export async function storeTemplateIn(
  kit: Kit,
  tx: TenantTx,
  acting: Acting,
  { prepared, ...message }: TemplateMessage,
): Promise<StoredOutgoing> {
  const content = await fillForContact(tx, prepared, message.conversation);
  const { headers } = prepared;
  return storeOutgoing(kit, tx, acting, { ...message, content, attachment: null, headers });
}

/** The conversation is locked, because a merge could give it to another contact before the message is stored. */
async function expectContactOf(tx: TenantTx, conversation: string): Promise<string> {
  const contact = await lockContactOf(tx, conversation);
  if (contact === null) throw unknownReference('conversationId');
  return contact;
}

/** Fills in the template with the contact's values. Throws VALIDATION_FAILED that names each value which the contact does not have. */
async function fillForContact(
  tx: TenantTx,
  { template, given, shelf }: PreparedTemplate,
  conversation: string,
): Promise<MessageContent> {
  const [contact = null] = hasVariables(given) ? await readContacts(tx, [await expectContactOf(tx, conversation)]) : [];
  const { values, missing } = resolveVariables(given, { contact });
  const absent = missing.map(({ path, variable }) => {
    return { path, code: 'MISSING_VARIABLE', message: `has no value for this contact: ${variable}` };
  });
  if (absent.length > 0) throw makeFaultsError(absent, COMPONENTS);
  const filled = composeTemplate(template, values, shelf.inbox.time_zone);
  if ('faults' in filled) throw makeFaultsError(filled.faults, COMPONENTS);
  const { content, components } = filled;
  return {
    contentType: 'TEMPLATE',
    content,
    template: { name: template.name, language: template.language, components },
  };
}
