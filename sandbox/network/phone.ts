/** The person at the professional network who writes to an account of the company. */
import { toObject, toText } from '../exchange.ts';
import { readPhoneFile } from '../phone/file.ts';
import { READ_MS, type PhoneNetwork, type PhoneNote } from '../phone/phone.ts';
import type { Sandbox } from '../state.ts';
import { describeReaction, postEvent, reportEvent } from './events.ts';
import { writeInbound } from './inbound.ts';
import { nameForPage, showReactions, toItem, toReactions } from './shown.ts';

const isOf = (sandbox: Sandbox, account: string, contact: string) =>
  [...sandbox.network.messages.values()].filter(
    ({ chat }) => chat.account_id === account && nameForPage(chat.other) === contact,
  );

/** The network tells a reaction as an event about the message. */
async function react(sandbox: Sandbox, note: PhoneNote): Promise<object | string> {
  const { message_id, emoji } = toObject(toObject(note['raw'])['reaction']);
  const message = sandbox.network.messages.get(String(message_id));
  const account = message && sandbox.network.accounts.get(message.chat.account_id);
  if (!message || !account) return 'There is no such message.';
  message.reaction = toText(emoji) ?? '';
  showReactions(sandbox, message);
  const status = await postEvent(sandbox, 'messaging', describeReaction(account, message, message.chat.other));
  return { status, delivered: status === 200 };
}

export const linkedinPhone: PhoneNetwork = {
  listAccounts: ({ network }) =>
    [...network.accounts.values()].map(({ id, name, public_identifier, status }) => ({
      id,
      name,
      detail: `linkedin.com/in/${public_identifier ?? id}`,
      state: status === 'OK' ? 'open' : 'closed',
    })),
  listItems: (sandbox, account, contact) =>
    isOf(sandbox, account, contact).flatMap((message) => [toItem(message), ...toReactions(message)]),
  async write(sandbox, note) {
    if (toObject(note['raw'])['reaction'] !== undefined) return react(sandbox, note);
    const file = readPhoneFile(note, { seed: sandbox.network.counter, isPhone: false });
    if (typeof file === 'string') return file;
    const written = await writeInbound(sandbox, {
      account: note['account'],
      from: note['contact'],
      name: note['name'],
      text: note['text'],
      quoted: note['context'],
      ...(file && { file: { mimetype: file.mimetype, name: file.file_name, base64: file.bytes.toString('base64') } }),
    });
    if (typeof written === 'string') return written;
    const { id, status } = written;
    return { id, status, delivered: status === 200 };
  },
  markRead(sandbox, id) {
    const message = sandbox.network.messages.get(id);
    const account = message && sandbox.network.accounts.get(message.chat.account_id);
    if (!account || !message.is_sender) return false;
    void reportEvent(sandbox, account, message, 'message_read');
    return true;
  },
  readsAlone: ({ network }) => network.settings.event_delays_ms.message_read !== null,
  setReadsAlone: ({ network }, on) => void (network.settings.event_delays_ms.message_read = on ? READ_MS : null),
};
