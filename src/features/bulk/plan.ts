/** Chooses the contacts of a bulk run that get the template, and fills it in. */
import { PHONE_NUMBER } from '../../channels/identity.ts';
import type { NamedChannel } from '../../channels/registry.ts';
import { fillForRecipient } from '../../channels/templates/for-recipient.ts';
import { hasVariables, type RecipientContact } from '../../channels/templates/variables.ts';
import type { TenantRead } from '../../platform/store/tenant.ts';
import { isPhoneFault, readPhone } from '../../platform/values/phone.ts';
import { ask, STRANGER } from '../admission/admission.ts';
import { NOBODY, readContacts } from '../contacts/contacts.ts';
import { OVER_DAILY_LIMIT } from '../messages/blocks.ts';
import type { Fault } from '../sends/schemas.ts';
import type { SendingInbox } from '../sends/sender.ts';
import type { Candidate, Planner } from '../sends/source.ts';
import type { RunWork } from './queries.ts';
import { findRecipients, type DueRow, type WaitingRow } from './row-queries.ts';

export interface BulkCandidate extends Candidate, Pick<DueRow, 'row' | 'name' | 'phone' | 'columns'> {
  /** Whether an earlier row has the same contact. */
  is_repeated: boolean;
  /** What variables of the template show of the contact; null for a new one. */
  record: RecipientContact | null;
}

export interface Planning {
  inbox: SendingInbox;
  channel: NamedChannel;
  run: Pick<RunWork, '_id' | 'template' | 'components' | 'options' | 'time_zone'>;
}

/** A row whose message is not stored yet. */
export const toUnsent = ({ row, name, phone, columns }: WaitingRow): DueRow => ({
  row,
  name,
  phone,
  columns,
  message: null,
  content: null,
  template: null,
  refusals: 0,
  reached_at: null,
  reached_before: null,
});

/** Finds the contacts of these rows by their numbers. */
export function findKnown(
  read: TenantRead,
  { inbox, run }: Planning,
  rows: WaitingRow[],
  restingCodes: readonly string[],
) {
  const values = rows.map(({ phone }) => PHONE_NUMBER.identify(phone).value);
  return findRecipients(read, { run: run._id, inbox: inbox._id, kind: PHONE_NUMBER.kind, values, restingCodes });
}

/** Reads everything that decides about these rows. */
export async function readCandidates(read: TenantRead, planning: Planning, rows: DueRow[]): Promise<BulkCandidate[]> {
  const { restingCodes, undeliveredIn } = askBulk(planning);
  const known = new Map((await findKnown(read, planning, rows, restingCodes)).map((each) => [each.value, each]));
  const ids = [...known.values()].map(({ contact }) => contact);
  const records = hasVariables(planning.run.components) ? await readContacts(read, ids) : [];
  const contacts = new Map(records.map((contact) => [contact._id, contact as RecipientContact]));
  const named = new Set<string>();
  return rows.map((row) => {
    const to = PHONE_NUMBER.identify(row.phone);
    const found = known.get(to.value);
    const { contact, conversation, ...facts } = found ?? { ...STRANGER, contact: null, conversation: null };
    const isNew = row.message === null;
    const isNamed = contact !== null && named.has(contact);
    if (contact !== null) named.add(contact);
    return {
      ...STRANGER,
      ...facts,
      ...row,
      contact,
      conversation,
      to: { ...to, address: found?.address ?? to.address },
      is_repeated: isNew && (found?.is_repeated === true || isNamed),
      is_engaged: isNew && conversation !== null,
      // Reading a number takes longer than all else here.
      country_code: undeliveredIn.length > 0 ? findCountry(row.phone) : null,
      record: contacts.get(contact ?? '') ?? null,
    };
  });
}

const askBulk = ({ inbox, channel, run }: Planning) =>
  ask('BULK', channel, inbox, { contentType: 'TEMPLATE', ...run.options });

export function planBulk(planning: Planning): Planner<BulkCandidate> {
  const asking = askBulk(planning);
  const { template, components: given, time_zone: timeZone } = planning.run;
  return {
    asking: () => asking,
    findRefusal: ({ is_repeated }) => (is_repeated ? REPEATED : null),
    fill: ({ name, phone, columns, record }) =>
      fillForRecipient(
        { template, given, timeZone },
        {
          contact: record ?? { ...NEWCOMER, name, phone_number: phone },
          columns: { ...(name === null ? {} : { name }), phone, ...columns },
        },
      ),
  };
}

export const OVER_LIMIT = { code: String(OVER_DAILY_LIMIT.code), message: OVER_DAILY_LIMIT.message };

const REPEATED = { code: 'DUPLICATE', message: 'An earlier row has the same contact with another number' };

/** What a row shows whose outcome nobody knows. */
export const UNKNOWN_OUTCOME: Fault = {
  code: 'OUTCOME_UNKNOWN',
  message:
    'The network was called, but its answer is unknown. The message is not sent again; its status may still show the outcome',
};

function findCountry(phone: string): string | null {
  const read = readPhone(phone, null);
  return isPhoneFault(read) ? null : read.country_code;
}

/** A contact that is created with the message. */
const NEWCOMER: RecipientContact = { ...NOBODY, custom_fields: [] };
