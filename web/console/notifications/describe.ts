/** What a notification says, and where it leads: in the console, and in the service worker. */
import type { Notification } from '@parley/sdk';
import type { Translation } from '../../browser/texts.ts';
import type { NOTIFICATIONS } from './texts.ts';

/** What its text needs to know of a notification. */
export interface Described extends Pick<Notification, 'kind' | 'conversation' | 'count'> {
  /**
   * The names of the contact, or of the person who wrote in the conversation, and of the user who caused it; null if there is none.
   */
  contact: string | null;
  actor: string | null;
}

/** The contact, or the author of a mail in the contact's conversation; null for a contact without a name. */
export const nameWriter = ({ author, contact_summary: contact }: Notification): string | null =>
  author?.name ?? author?.address ?? contact?.name ?? contact?.phone_number ?? contact?.email ?? null;

export const toDescribed = (notification: Notification): Described => {
  const { kind, conversation, count, actor } = notification;
  return { kind, conversation, count, contact: nameWriter(notification), actor: actor?.name ?? null };
};

export function describe(texts: Translation<(typeof NOTIFICATIONS)['en']>, described: Described): string {
  const { kind, conversation, count } = described;
  const contact = described.contact ?? texts.someone;
  const by = described.actor ?? texts.platform;
  if (kind === 'MENTIONED') return texts.mentioned(contact, by);
  if (kind === 'REPLIED') return count > 1 ? texts.repliedOften(contact, count) : texts.replied(contact);
  if (kind === 'NOT_SENT') return count > 1 ? texts.notSentMany(contact, count) : texts.notSent(contact);
  if (kind === 'SLA_BREACHED') return texts.breached(contact);
  if (kind === 'ASSIGNED') return conversation === null ? texts.assignedMany(count, by) : texts.assigned(contact, by);
  if (kind === 'TEAM_ASSIGNED') return conversation === null ? texts.teamMany(count) : texts.teamAssigned(contact);
  return conversation === null ? texts.queuedMany(count) : texts.queued(contact);
}

export const findAddress = ({ kind, conversation }: Pick<Notification, 'kind' | 'conversation'>): string =>
  conversation === null ? `/inbox/${kind === 'ASSIGNED' ? 'mine' : 'unassigned'}` : `/inbox/all/${conversation}`;

/** Notices with the same tag take each other's place. Those of replies share the tag of the notices of messages. */
export const findTag = ({ _id, kind, conversation }: Pick<Notification, '_id' | 'kind' | 'conversation'>): string =>
  kind === 'REPLIED' && conversation !== null ? conversation : _id;
