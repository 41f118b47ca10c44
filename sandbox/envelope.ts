import type { Account } from './accounts.ts';
import type { Json } from './exchange.ts';

/** One status or message for the webhook, with its contact. */
export type Element = {
  account: Account;
  target: string | null;
  kind: 'statuses' | 'messages';
  item: Json;
  contact?: Json;
};

type NotificationChange = { field: 'messages'; value: Json };

/** Builds one notification body for all elements: an entry for each WABA, and in it a change for each number and kind, in the given order. */
export function buildNotification(elements: Element[]): Json {
  const entries = new Map<string, Map<string, NotificationChange>>();
  for (const { account, kind, item, contact } of elements) {
    const changes = entries.get(account.waba_id) ?? new Map<string, NotificationChange>();
    entries.set(account.waba_id, changes);
    const key = `${account.phone_number_id} ${kind}`;
    const change = changes.get(key) ?? emptyChange(account);
    changes.set(key, change);
    if (contact !== undefined) appendItem(change.value, 'contacts', contact);
    appendItem(change.value, kind, item);
  }
  return {
    object: 'whatsapp_business_account',
    entry: [...entries].map(([id, changes]) => ({ id, changes: [...changes.values()] })),
  };
}

const emptyChange = ({ display_phone_number, phone_number_id }: Account): NotificationChange => ({
  field: 'messages',
  value: {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: display_phone_number.replace(/\D/g, ''), phone_number_id },
  },
});

function appendItem(value: Json, key: 'contacts' | Element['kind'], item: Json): void {
  const list = value[key];
  if (Array.isArray(list)) list.push(item);
  else value[key] = [item];
}

/**
 * Formats JSON as the network escapes it: non-ASCII as \uXXXX and `/` as `\/`. The signature covers exactly these bytes, so a receiver that
 * verifies the JSON after parsing and formatting it again fails here as it would with the network.
 */
export function escapeLikeMeta(value: unknown): string {
  return JSON.stringify(value)
    .replace(/[\u007f-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replace(/\//g, '\\/');
}
