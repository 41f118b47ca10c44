/** Lets the mail of somebody else join the conversation of the mail that it answers, such as the answer of a person in Cc. */
import type { InboundMessage } from '../../channels/channel.ts';
import { EMAIL_ADDRESS, type Identity } from '../../channels/identity.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';
import { findAnsweredContacts } from '../messages/ingest-queries.ts';
import type { ArrivedMessage } from './batch.ts';

/**
 * Returns the arrivals, of which those of other recipients belong to the contact of the mail that they answer. The first message of such a
 * mail names its author. No program answers it, because the answer would go to the contact.
 */
export async function joinAnswered(tx: SystemTx, arrivals: ArrivedMessage[]): Promise<ArrivedMessage[]> {
  const asked = arrivals.flatMap((arrival) => {
    const { receiver, message } = arrival;
    const author = findAddress(message);
    return message.replyTo === null || !author ? [] : [{ arrival, receiver, author, external_id: message.replyTo }];
  });
  if (asked.length === 0) return arrivals;
  const keys = asked.map(({ receiver: { company, inbox }, author, external_id }) => ({
    company,
    inbox,
    external_id,
    author: author.value,
  }));
  const stored = new Map((await findAnsweredContacts(tx, keys)).map(({ place, address }) => [place, address]));
  const answers = new Map(asked.map((each, place) => [each.arrival, { ...each, stored: stored.get(place) }]));
  // The mail that is answered may have come with the answer.
  const known = new Map<string, ArrivedMessage>();
  return arrivals.map((arrival) => {
    const answer = answers.get(arrival);
    const contact =
      answer && (answer.stored ?? findInBatch(known.get(nameMail(arrival, answer.external_id)), answer.author));
    const placed = answer && contact !== undefined ? joinContact(arrival, answer.author, contact) : arrival;
    known.set(nameMail(placed, placed.message.externalId), placed);
    return placed;
  });
}

const nameMail = ({ receiver }: ArrivedMessage, id: string): string => `${receiver.inbox} ${id}`;

const findAddress = ({ person }: InboundMessage): Identity | undefined =>
  person.names.find(({ kind }) => kind === EMAIL_ADDRESS.kind);

/** Returns the contact's address of a mail of this batch that names the author. */
function findInBatch(answered: ArrivedMessage | undefined, author: Identity): string | undefined {
  if (!answered || !('email' in answered.message) || !answered.message.email) return undefined;
  const { to, cc, reply_to, from } = answered.message.email;
  const contact = findAddress(answered.message);
  const isNamed = [...to, ...cc, ...reply_to, from?.address ?? ''].some((each) => each.toLowerCase() === author.value);
  return isNamed && contact?.value !== author.value ? contact?.address : undefined;
}

function joinContact({ message, ...around }: ArrivedMessage, author: Identity, contact: string): ArrivedMessage {
  const from = { address: author.address, name: message.person.displayName ?? null };
  return {
    ...around,
    message: {
      ...message,
      person: { names: [EMAIL_ADDRESS.identify(contact)] },
      isAutomatic: true,
      ...('email' in message && message.email && { email: { ...message.email, from } }),
    },
  };
}
