/** The phone that writes to a number of the Cloud API. */
import { findAccount } from '../accounts.ts';
import { toHistoryItem } from '../history.ts';
import { writeInbound } from '../inbound.ts';
import { isSamePerson } from '../messages.ts';
import { listSince } from '../ring.ts';
import { reportRead } from '../statuses.ts';
import type { Sandbox } from '../state.ts';
import { READ_MS, type PhoneNetwork } from './phone.ts';

// Somebody who opens the page wants to see where the conversation is.
const MOST_SHOWN = 500;

/** Lists the messages of one conversation in both directions, in order. */
export function listConversation({ graph }: Sandbox, phoneNumberId: string, contact: string): object[] {
  const sent = listSince(graph.sent, 0)
    .filter((item) => item.phone_number_id === phoneNumberId && isSamePerson(item.wa_id || item.to, contact))
    .map((item) => ({ direction: 'in', ...item }));
  const written = listSince(graph.inbound, 0)
    .filter((item) => item.phone_number_id === phoneNumberId && isSamePerson(item.from, contact))
    .map((item) => ({ direction: 'out', ...item }));
  const known = new Set([...sent, ...written].map(({ id }) => id));
  const before = graph.history.filter(
    (item) => item.phone_number_id === phoneNumberId && isSamePerson(item.contact, contact) && !known.has(item.id),
  );
  return [...before.map(toHistoryItem), ...sent, ...written]
    .toSorted((a, b) => a.created_at.localeCompare(b.created_at))
    .slice(-MOST_SHOWN);
}

export const whatsappPhone: PhoneNetwork = {
  listAccounts: ({ graph }) =>
    [...graph.accounts.byPhone.values()].map(({ phone_number_id, verified_name, display_phone_number }) => ({
      id: phone_number_id,
      name: verified_name,
      detail: display_phone_number,
      state: 'open',
    })),
  listItems: listConversation,
  write: (sandbox, { account, contact, ...note }) =>
    writeInbound(sandbox, { ...note, phone_number_id: account, from: contact }),
  markRead(sandbox, id) {
    const message = sandbox.graph.sentById.get(id);
    const account = message && findAccount(sandbox.graph.accounts, message.phone_number_id);
    if (account) reportRead(sandbox, account, message);
    return account !== undefined;
  },
  readsAlone: ({ graph }) => graph.settings.status_delays_ms.read !== null,
  setReadsAlone: ({ graph }, on) => void (graph.settings.status_delays_ms.read = on ? READ_MS : null),
};
