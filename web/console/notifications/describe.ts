/** What a notification says, and where it leads. */
import type { Notification } from '@parley/sdk';
import { getTexts } from '../texts/texts.ts';
import { NOTIFICATIONS } from './texts.ts';

export function describeNotification({ kind, conversation, contact_summary, actor, count }: Notification): string {
  const texts = getTexts(NOTIFICATIONS);
  const contact = contact_summary?.name ?? contact_summary?.phone_number ?? contact_summary?.email ?? texts.someone;
  const by = actor?.name ?? texts.platform;
  if (kind === 'MENTIONED') return texts.mentioned(contact, by);
  if (kind === 'REPLIED') return count > 1 ? texts.repliedOften(contact, count) : texts.replied(contact);
  if (kind === 'ASSIGNED') return conversation === null ? texts.assignedMany(count, by) : texts.assigned(contact, by);
  if (kind === 'TEAM_ASSIGNED') return conversation === null ? texts.teamMany(count) : texts.teamAssigned(contact);
  return conversation === null ? texts.queuedMany(count) : texts.queued(contact);
}

export const findAddress = ({ kind, conversation }: Notification): string =>
  conversation === null ? `/inbox/${kind === 'ASSIGNED' ? 'mine' : 'unassigned'}` : `/inbox/all/${conversation}`;
