/** Tells the sandbox what it has to know of the platform, and what its phones showed before a restart: the sandbox itself keeps nothing. */
import { listLastMessages } from '../features/inbound/last-messages.ts';
import type { Kit } from '../kit.ts';
import type { Log } from '../platform/work/telemetry.ts';
import { DEMO_ACCOUNT } from './first-start.ts';
import type { Sandbox } from './sandbox.ts';

/** Changes settings of the sandbox; those that are not given stay. */
export const configureSandbox = (kit: Kit, sandbox: Sandbox, settings: object): Promise<void> =>
  put(kit, `${sandbox.url}/sandbox/settings`, settings);

// Someone who opens the phone page again wants to see where the conversation was, not all of it.
const SHOWN = 100;

/** Gives the phones of the sandbox the last messages that the platform has of the demo inbox. */
export async function restorePhones(kit: Kit, sandbox: Sandbox, log: Log): Promise<void> {
  const { phone_number_id } = DEMO_ACCOUNT;
  try {
    const last = await listLastMessages(kit, 'WAP_AUTO_CLOSER', phone_number_id, SHOWN);
    const messages = last.flatMap(toPhoneItems);
    await put(kit, `${sandbox.url}/sandbox/history`, { phone_number_id, messages });
  } catch (error) {
    // Failure policy: a phone that begins empty is no reason to end the start of a platform.
    log.warn({ err: error }, 'the phones of the sandbox begin without their past messages');
  }
}

type Message = Awaited<ReturnType<typeof listLastMessages>>[number];

/** What the phone shows of a message. Notes were never on a phone, and neither was what the network has not accepted. */
function toPhoneItems(message: Message): object[] {
  const { contact_summary: contact, external_id: id, message_type, status } = message;
  if (!id || !contact.phone_number || message_type === 'NOTE') return [];
  return [
    {
      id,
      contact: contact.phone_number.replaceAll(/\D/g, ''),
      direction: message_type === 'INCOMING' ? 'out' : 'in',
      text: message.content ?? message.contentType.toLowerCase(),
      status: status.toLowerCase(),
      created_at: message.createdAt,
    },
  ];
}

async function put(kit: Kit, url: string, body: object): Promise<void> {
  const answer = await kit.outbound.operator({
    method: 'PUT',
    url,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(60_000),
    maxBytes: 65_536,
  });
  if (answer.status !== 200) throw new Error(`the sandbox answers ${answer.status} at ${url}`);
}
