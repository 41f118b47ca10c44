/** Fills in the first message of a campaign for its contacts, to show some of them and to find those that cannot be sent. */
import { fillForRecipient, isUnfilled } from '../../channels/templates/for-recipient.ts';
import { hasVariables } from '../../channels/templates/variables.ts';
import { walkPortions } from '../../platform/store/portions.ts';
import type { TenantRead } from '../../platform/store/tenant.ts';
import { readContacts } from '../contacts/contacts.ts';
import type { Contact } from '../contacts/schemas.ts';
import { findGivenValues, listNext, type AudienceMatch, type SkipRules } from './audience-queries.ts';
import type { PreviewMessage, SkipReason } from './schemas.ts';
import type { SendableStep } from './steps.ts';
import { declareLimit } from '../../platform/values/limits.ts';

const SHOWN = 10;
// Filling in this many messages takes about a second.
const MOST_FILLED = declareLimit(10_000, {
  topic: 'Campaigns',
  what: 'Campaign preview: contacts whose values are checked',
  beyond: 'the others are checked when it sends',
});
// No other request waits longer than some ten milliseconds.
const PORTION = 500;

interface Writing {
  campaign: string;
  step: SendableStep;
  audience: AudienceMatch;
  rules: SkipRules;
  timeZone: string | null;
}

interface Written {
  messages: PreviewMessage[];
  /** The contacts whose message cannot be filled in: how many for each reason, and the words of the first. */
  unfilled: Map<SkipReason, { count: number; message: string }>;
}

export async function writeMessages(read: TenantRead, writing: Writing): Promise<Written> {
  const { campaign, step, audience, rules } = writing;
  // Without variables all messages are the same.
  const most = hasVariables(step.given) ? MOST_FILLED : SHOWN;
  const written: Written = { messages: [], unfilled: new Map() };
  let left = most;
  const portions = walkPortions((last: { _id: string } | null) =>
    listNext(read, audience, rules, { after: last?._id ?? '', most: Math.min(left, PORTION) }),
  );
  for await (const portion of portions) {
    left -= portion.length;
    const ids = portion.map(({ _id }) => _id);
    const contacts = new Map((await readContacts(read, ids)).map((contact) => [contact._id, contact]));
    const columns = await findGivenValues(read, campaign, ids);
    for (const id of ids) {
      const contact = contacts.get(id);
      if (contact) addMessage(written, writing, { contact, columns: columns.get(id) ?? {} });
    }
  }
  return written;
}

function addMessage(
  { messages, unfilled }: Written,
  { step, timeZone }: Writing,
  recipient: { contact: Contact; columns: Record<string, string> },
): void {
  const filled = fillForRecipient({ ...step, timeZone }, recipient);
  const { _id: contact, name, phone_number } = recipient.contact;
  const fault = isUnfilled(filled) ? filled : null;
  if (fault) {
    const { count, message } = unfilled.get(fault.code) ?? { count: 0, message: fault.message };
    unfilled.set(fault.code, { count: count + 1, message });
  }
  if (messages.length >= SHOWN) return;
  const content = isUnfilled(filled) ? null : filled.content;
  messages.push({ contact, name, phone_number, content, error: fault?.message ?? null });
}
