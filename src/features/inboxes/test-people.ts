/** Decides which people an inbox in test mode may write to. */
import { PHONE, type Person } from '../../channels/channel.ts';
import { phoneKey } from '../../platform/phone.ts';

/** True when `names` contains the person's phone number, however it is written, or exactly the person's user id. */
export const isNamedIn = (names: readonly string[], { phone, bsuid }: Pick<Person, 'phone' | 'bsuid'>): boolean =>
  names.some((name) => (phone && PHONE.test(name) ? phoneKey(name) === phoneKey(phone) : name === bsuid));
