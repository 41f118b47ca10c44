/** Translates a mail that was fetched. Runs in a child process. */
import type { Inbound } from '../channel.ts';
import type { TranslatedItem } from '../fetching.ts';
import { toInbound } from './inbound.ts';
import { parseMail } from './parse.ts';

export async function translateMail({ raw, address, recipient, reference, receivedAt, isCut }: TranslatedItem) {
  const mail = await parseMail(raw);
  // Of a mail that is too large the last file is not whole, and it is not known which ones are missing.
  const whole = isCut ? { ...mail, files: [] } : mail;
  const elements: (Inbound | null)[] = [];
  for (const element of toInbound(whole, {
    address,
    recipient,
    receivedAt,
    nameFile: ({ part }) => `${reference}.${part}`,
  }))
    elements.push(element);
  return elements;
}
