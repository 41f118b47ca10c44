/** WhatsApp's own ids of people, which Evolution uses for numbers. */

const PERSON = '@s.whatsapp.net';

/** Returns the id of the person with a phone number. */
export const toJid = (phone: string): string => `${phone.replaceAll(/\D/g, '')}${PERSON}`;
