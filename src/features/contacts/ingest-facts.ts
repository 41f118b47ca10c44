/** The fields of contacts that show what networks report about people, and the names of recipients that networks report with statuses. */
import type { Identity } from '../../channels/identity.ts';
import { toReadablePhone } from '../../platform/values/phone.ts';
import type { SystemTx, TenantTx } from '../../platform/store/tenant.ts';
import { learnFacts, learnIdentities, type LearntFact, type ReportedFields } from './ingest-queries.ts';
import { IDENTITY_FIELD_NAMES, IDENTITY_FIELDS, type IdentityField } from './schemas.ts';

const SHOWN_KINDS = new Set(IDENTITY_FIELD_NAMES.map((field) => IDENTITY_FIELDS[field].kind));

/** True for an identity that a contact's record shows. The other ones are known only to the networks. */
export const isShownKind = ({ kind }: Pick<Identity, 'kind'>): boolean => SHOWN_KINDS.has(kind);

/** The fields that show these names; of several names of one kind the first counts. */
export function toShownFields(names: readonly Identity[]): ReportedFields {
  const findAddress = (field: IdentityField): string | null =>
    names.find(({ kind }) => kind === IDENTITY_FIELDS[field].kind)?.address ?? null;
  const phone = findAddress('phone_number');
  return {
    ...(phone === null ? { phone_number: null, country_code: null } : toReadablePhone(phone)),
    email: findAddress('email'),
    professional_network_identifier: findAddress('professional_network_identifier'),
    external_id: findAddress('external_id'),
  };
}

/** Fields of `later` that are not empty replace those of `earlier`. The country code belongs to the phone number. */
export function mergeFields(earlier: ReportedFields, later: ReportedFields): ReportedFields {
  const filled = Object.entries(later).filter(([, value]) => value !== null);
  const { country_code } = later.phone_number === null ? earlier : later;
  return { ...earlier, ...Object.fromEntries(filled), country_code };
}

/** Stores at most one fact of each contact. Returns the contacts that really changed. */
export async function storeLearntFacts(tx: SystemTx, facts: LearntFact[]): Promise<Set<string>> {
  if (facts.length === 0) return new Set();
  return new Set((await learnFacts(tx, facts)).map((row) => row._id));
}

export interface MessageRecipient {
  company: string;
  inbox: string;
  external_id: string;
  /** The names by which the network reported the recipient of this message. */
  recipient?: Identity[];
}

/** Stores the network's own ids of the recipients, so that a later message that names only such an id finds the same contact. */
export async function learnRecipients(tx: SystemTx | TenantTx, messages: MessageRecipient[]): Promise<void> {
  const reported = messages.flatMap(({ company, inbox, external_id, recipient = [] }) =>
    recipient.filter((name) => !isShownKind(name)).map((name) => ({ company, inbox, external_id, ...name })),
  );
  if (reported.length > 0) await learnIdentities(tx, reported);
}
