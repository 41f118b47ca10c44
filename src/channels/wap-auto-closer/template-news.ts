/** Reads the notifications about templates. They are about an account, which may have several phone numbers. */
import type { Inbound } from '../channel.ts';
import type { InboundTemplate } from '../templates/network.ts';
import { makeUnreadable } from './message.ts';
import { readQuality, readReason } from '../templates/read.ts';
import { asDate, asIdentifier, asLabel, asRecord, type Json } from '../values.ts';

/** A change of an account, as parse.ts takes it from a notification. */
interface AccountChange {
  account: string | null;
  time: unknown;
  value: Json;
}

type Change = InboundTemplate['change'];

/** The fields of notifications about templates, and how each is read. */
const CHANGES: Record<string, (value: Json) => Change> = {
  message_template_status_update: readStatus,
  message_template_quality_update: ({ new_quality_score }) => {
    const quality = readQuality(new_quality_score);
    return quality === null ? null : { quality };
  },
  template_category_update: ({ new_category }) => {
    const category = asLabel(new_category)?.toUpperCase();
    return category === undefined ? null : { category };
  },
  // The notification has the new texts, but not in the form of components.
  message_template_components_update: () => null,
};

/** Events whose name is the template's new status. After any other event only the network can say what the status is. */
const STATUSES = new Set([
  'APPROVED',
  'PENDING',
  'REJECTED',
  'PAUSED',
  'DISABLED',
  'IN_APPEAL',
  'PENDING_DELETION',
  'DELETED',
  'LIMIT_EXCEEDED',
  'ARCHIVED',
  'LOCKED',
]);

function readStatus({ event, reason, message_template_category }: Json): Change {
  const status = asLabel(event)?.toUpperCase() ?? '';
  if (!STATUSES.has(status)) return null;
  const category = asLabel(message_template_category)?.toUpperCase();
  return { status, rejectedReason: readReason(reason), ...(category === undefined ? {} : { category }) };
}

/** The readers by the field of the notification; parse.ts adds them to its own. */
export const TEMPLATE_READERS: [string, (change: AccountChange) => Generator<Inbound | null>][] = Object.entries(
  CHANGES,
).map(([field, readChange]) => [field, (change) => readNews(change, readChange)]);

function* readNews(
  { account: entry, time, value }: AccountChange,
  readChange: (value: Json) => Change,
): Generator<Inbound | null> {
  const account = asIdentifier(asRecord(value.waba_info)?.waba_id) ?? entry;
  const name = asIdentifier(value.message_template_name);
  const language = asIdentifier(value.message_template_language);
  if (account === null || name === null || language === null)
    return yield makeUnreadable(null, 'template news name no account or no template', value);
  const timestamp = asDate(time) ?? new Date();
  yield { kind: 'template', account, timestamp, name, language, change: readChange(value) };
}
