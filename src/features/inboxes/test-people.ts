/** Whom an inbox in test mode lets through. */
import { PHONE, type Person } from '../../channels/channel.ts';
import { phoneKey } from '../../platform/phone.ts';

/** True when one of these names is the person's: a number in any writing, or an id to the letter. */
export const isNamedIn = (names: readonly string[], { phone, bsuid }: Pick<Person, 'phone' | 'bsuid'>): boolean =>
  names.some((name) => (phone && PHONE.test(name) ? phoneKey(name) === phoneKey(phone) : name === bsuid));
