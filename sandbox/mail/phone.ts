/** The person whose mail program writes to a mailbox of the company. */
import type { PhoneNetwork } from '../phone/phone.ts';
import { writeMail } from './compose.ts';
import { toItem } from './shown.ts';

export const mailPhone: PhoneNetwork = {
  listAccounts: ({ mail }) =>
    [...mail.mailboxes.keys()].map((address) => ({ id: address, name: address, detail: address, state: 'open' })),
  listItems: ({ mail }, account, contact) =>
    [...mail.mails.values()].filter((each) => each.mailbox === account && each.contact === contact).map(toItem),
  write: writeMail,
  // Nobody hears of it when a mail is read.
  markRead: () => false,
  readsAlone: () => null,
  setReadsAlone: () => undefined,
};
