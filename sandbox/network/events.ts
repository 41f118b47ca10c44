import { toText, waitMs, type Json } from '../exchange.ts';
import { isLoopbackUrl } from '../loopback.ts';
import { postOnce, type Post } from '../post.ts';
import type { Sandbox } from '../state.ts';
import { showMessage } from './shown.ts';
import type { Account, Profile, StoredMessage } from './state.ts';

/** The tries after the first one. */
const RETRIES = 5;

/** Posts an event to each webhook that wants it. Resolves with the status of the first try; null when nothing was posted or nobody answered. */
export async function postEvent(sandbox: Sandbox, source: string, event: Json): Promise<number | null> {
  const { webhooks, settings } = sandbox.network;
  const account = event['account_id'] ?? (event['AccountStatus'] as Json | undefined)?.['account_id'];
  const name = toText(event['event']) ?? '';
  const wanted = [...webhooks.values()].filter(
    (hook) =>
      hook.source === source &&
      (hook.account_ids === null || hook.account_ids.includes(String(account))) &&
      (hook.events === null || name === 'message_failed' || hook.events.includes(name)) &&
      isLoopbackUrl(hook.request_url),
  );
  const statuses = await Promise.all(
    wanted.map(async (hook) => {
      const headers = Object.fromEntries(hook.headers.map(({ key, value }) => [key, value]));
      const post = { url: hook.request_url, headers, body: JSON.stringify(event) };
      for (let copy = 0; copy < settings.duplicates; copy += 1) void postOnce(post);
      const status = await postOnce(post);
      if (status !== 200) void repeat(sandbox, post);
      return status;
    }),
  );
  return statuses[0] ?? null;
}

async function repeat(sandbox: Sandbox, post: Post): Promise<void> {
  const { generation } = sandbox;
  let pauseMs = sandbox.network.settings.retry_ms;
  for (let tries = 0; tries < RETRIES; tries += 1) {
    await waitMs(pauseMs);
    if (sandbox.generation !== generation || (await postOnce(post)) === 200) return;
    pauseMs *= 2;
  }
}

const showAttendee = ({ provider_id, public_identifier, name }: Profile): Json => ({
  attendee_id: `attendee-${provider_id}`,
  attendee_provider_id: provider_id,
  attendee_name: name,
  attendee_profile_url: `https://www.linkedin.com/in/${provider_id}`,
  attendee_public_identifier: public_identifier,
  attendee_specifics: { provider: 'LINKEDIN' },
});

/** Describes a message as the events do. */
export const describeMessage = (event: string, account: Account, message: StoredMessage): Json => ({
  event,
  account_id: account.id,
  account_type: 'LINKEDIN',
  account_info: { type: 'LINKEDIN', feature: 'classic', user_id: account.provider_id },
  webhook_name: 'sandbox',
  chat_id: message.chat.id,
  provider_chat_id: `2-${message.chat.id}`,
  message_id: message.id,
  provider_message_id: `2-${message.id}`,
  message: message.text,
  subject: null,
  timestamp: message.timestamp,
  sender: showAttendee(message.is_sender ? account : message.chat.other),
  attendees: [showAttendee(message.chat.other)],
  attachments: message.files.map(({ id, type, mimetype, file_name, bytes }) => ({
    id,
    type,
    mimetype,
    file_name,
    file_size: bytes.length,
    url: `att://${account.id}/${id}`,
    unavailable: false,
  })),
  is_sender: message.is_sender,
  is_event: 0,
  is_group: false,
  quoted: message.quoted === null ? null : { id: message.quoted },
  reply_to: null,
  message_type: 'MESSAGE',
  folder: ['INBOX'],
  event_type: null,
});

/** Describes the reaction of one side to a message. */
export const describeReaction = (account: Account, message: StoredMessage, by: Profile): Json => ({
  ...describeMessage('message_reaction', account, message),
  reaction: by === message.chat.other ? message.reaction : message.ownReaction,
  reaction_sender: showAttendee(by),
});

type SendEvent = 'message_received' | 'message_delivered' | 'message_read';

const SHOWN = { message_received: 'sent', message_delivered: 'delivered', message_read: 'read' } as const;
const RANK = ['accepted', 'sent', 'delivered', 'read'];

/** Posts the events of a sent message, one after another. */
export async function reportSend(sandbox: Sandbox, account: Account, message: StoredMessage): Promise<void> {
  const { generation } = sandbox;
  const { event_delays_ms: delays, echo_first: isPosted } = sandbox.network.settings;
  await Promise.all(
    (['message_received', 'message_delivered', 'message_read'] as const).map(async (event) => {
      const delayMs = delays[event];
      if (delayMs === null || (isPosted && event === 'message_received')) return;
      await waitMs(delayMs);
      if (sandbox.generation === generation) await reportEvent(sandbox, account, message, event);
    }),
  );
}

/** Posts one event of a sent message, and shows it on the pages. */
export async function reportEvent(
  sandbox: Sandbox,
  account: Account,
  message: StoredMessage,
  event: SendEvent,
): Promise<void> {
  const shown = SHOWN[event];
  if (RANK.indexOf(shown) > RANK.indexOf(message.progress)) message.progress = shown;
  showMessage(sandbox, message);
  await postEvent(sandbox, 'messaging', describeMessage(event, account, message));
}
