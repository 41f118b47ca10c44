/** Decides for each contact of a portion whether the template is sent to it, and fills the template in. It changes nothing. */
import type { NamedChannel } from '../../channels/registry.ts';
import { PHONE_NUMBER, type Identity } from '../../channels/identity.ts';
import type { FilledTemplate } from '../../channels/templates/compose.ts';
import { fillForRecipient } from '../../channels/templates/for-recipient.ts';
import { hasVariables, type RecipientContact } from '../../channels/templates/variables.ts';
import type { TenantRead } from '../../platform/store/tenant.ts';
import { isPhoneFault, readPhone } from '../../platform/values/phone.ts';
import { NOBODY, readContacts } from '../contacts/contacts.ts';
import { OVER_DAILY_LIMIT } from '../messages/blocks.ts';
import { ask, findRefusal, nameKey, STRANGER, type Asking } from '../sends/admission.ts';
import { type BulkInbox, type RunWork } from './queries.ts';
import { findRecipients, type Recipient, type RowFault, type WaitingRow } from './row-queries.ts';

/** A contact that the template is sent to. */
export interface PlannedSend {
  row: WaitingRow;
  /** The contact's name at the network. */
  to: Identity;
  /** The contact, if the company has it already. */
  known: Recipient | null;
  filled: FilledTemplate;
}

export interface Plan {
  sends: PlannedSend[];
  failed: { row: WaitingRow; known: Recipient | null; error: RowFault }[];
}

export interface Planning {
  inbox: BulkInbox;
  channel: NamedChannel;
  run: Pick<RunWork, '_id' | 'template' | 'components' | 'options' | 'time_zone'>;
}

export async function planRows(tx: TenantRead, planning: Planning, rows: WaitingRow[]): Promise<Plan> {
  const { inbox, channel, run } = planning;
  const asking = ask('BULK', channel, inbox, { contentType: 'TEMPLATE', ...run.options });
  const names = rows.map(({ phone }) => PHONE_NUMBER.identify(phone));
  const values = names.map(({ value }) => value);
  const recipients = await findRecipients(tx, {
    run: run._id,
    inbox: inbox._id,
    kind: PHONE_NUMBER.kind,
    values,
    restingCodes: asking.restingCodes,
  });
  const byValue = new Map(recipients.map((recipient) => [recipient.value, recipient]));
  const records = hasVariables(run.components)
    ? await readContacts(
        tx,
        recipients.map(({ contact }) => contact),
      )
    : [];
  const contacts = new Map(records.map((contact) => [contact._id, contact as RecipientContact]));
  const plan: Plan = { sends: [], failed: [] };
  const named = new Set<string>();
  for (const [place, row] of rows.entries()) {
    const name = names[place] ?? PHONE_NUMBER.identify(row.phone);
    const known = byValue.get(name.value) ?? null;
    const to = { ...name, address: known?.address ?? name.address };
    if (known && (known.is_repeated || named.has(known.contact))) {
      plan.failed.push({ row, known, error: REPEATED });
      continue;
    }
    if (known) named.add(known.contact);
    const filled = checkRow(asking, run, { row, to, known, contact: contacts.get(known?.contact ?? '') ?? null });
    if ('code' in filled) plan.failed.push({ row, known, error: filled });
    else plan.sends.push({ row, to, known, filled });
  }
  return plan;
}

/**
 * Divides the planned sends into those with a place in the daily limit and those without one. People who have written in the last 24 hours
 * need none. `choose` returns who of these different people has a place.
 */
export async function divideByPlaces(
  { sends }: Plan,
  choose: (people: string[]) => Promise<{ has(person: string): boolean }>,
): Promise<{ sends: PlannedSend[]; over: Plan['failed'] }> {
  const outside = sends.filter(({ known }) => !known?.window_open);
  const placed = await choose(outside.map(({ to }) => to.value));
  const over = new Set(outside.filter(({ to }) => !placed.has(to.value)));
  return {
    sends: sends.filter((send) => !over.has(send)),
    over: [...over].map(({ row, known }) => ({ row, known, error: OVER_LIMIT })),
  };
}

const OVER_LIMIT: RowFault = { code: OVER_DAILY_LIMIT.code, message: OVER_DAILY_LIMIT.message };

const REPEATED: RowFault = { code: 'DUPLICATE', message: 'An earlier row has the same contact with another number' };

interface Checked extends Omit<PlannedSend, 'filled'> {
  contact: RecipientContact | null;
}

function checkRow(
  asking: Asking<'BULK'>,
  run: Planning['run'],
  { row, to, known, contact }: Checked,
): FilledTemplate | RowFault {
  const refusal = findRefusal(
    {
      ...STRANGER,
      ...known,
      name: nameKey(to),
      is_engaged: (known?.conversation ?? null) !== null,
      // Reading a number takes longer than all else here.
      country_code: asking.undeliveredIn.length > 0 ? findCountry(row.phone) : null,
    },
    asking,
  );
  if (refusal) return { code: refusal.code, message: refusal.message };
  const newcomer = { ...NEWCOMER, name: row.name, phone_number: row.phone };
  const filling = { template: run.template, given: run.components, timeZone: run.time_zone };
  return fillForRecipient(filling, {
    contact: contact ?? newcomer,
    columns: { ...(row.name === null ? {} : { name: row.name }), phone: row.phone, ...row.columns },
  });
}

function findCountry(phone: string): string | null {
  const read = readPhone(phone, null);
  return isPhoneFault(read) ? null : read.country_code;
}

/** A contact that is created with the message. */
const NEWCOMER: RecipientContact = { ...NOBODY, custom_fields: [] };
