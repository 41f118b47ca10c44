import type { Notification } from './schemas.ts';

/** Returns whom a notification names: the contact, or the author of a mail in the contact's conversation; null for a contact without a name. */
export const nameWriter = ({
  author,
  contact_summary: contact,
}: Pick<Notification, 'author' | 'contact_summary'>): string | null =>
  author?.name ?? author?.address ?? contact?.name ?? contact?.phone_number ?? contact?.email ?? null;
