/** Decides which people an inbox in test mode may write to. */
import type { Channel } from '../../channels/channel.ts';
import { PHONE_NUMBER, type Identity } from '../../channels/identity.ts';
import { invalid } from '../../platform/values/errors.ts';
import { findPhoneCountry } from '../../platform/store/phone-country.ts';
import { hasCountryCode, isPhoneFault, phoneKey, readPhone } from '../../platform/values/phone.ts';
import { plainPhoneText } from '../../platform/values/phone-text.ts';
import type { TenantRead } from '../../platform/store/tenant.ts';

/** Reads a text that a caller wrote as each kind of name that it can be; empty when it names no one on this channel. */
export const readNames = ({ identities }: Pick<Channel, 'identities'>, text: string): Identity[] =>
  identities.filter(({ writing }) => writing.test(text)).map(({ identify }) => identify(text));

/** True when one of the `listed` texts is one of the person's names, in whatever spelling. */
export function isNamedIn(
  channel: Pick<Channel, 'identities'>,
  listed: readonly string[],
  names: readonly Identity[],
): boolean {
  return listed
    .flatMap((text) => readNames(channel, text))
    .some((asked) => names.some(({ kind, value }) => kind === asked.kind && value === asked.value));
}

/**
 * Returns the people that a caller `listed`, in a form that isNamedIn() finds: a phone number is returned as it was read, unless its digits
 * say the same person already. Texts that are already `stored` are kept as they are, and so is a number with + that is not valid, because
 * networks know people by such numbers, too.
 */
export async function readTestPeople(
  tx: TenantRead,
  channel: Pick<Channel, 'identities'>,
  { listed, stored }: Record<'listed' | 'stored', readonly string[]>,
): Promise<string[]> {
  const isPhone = (text: string): boolean => readNames(channel, text)[0]?.kind === PHONE_NUMBER.kind;
  const isRead = (text: string): boolean => !stored.includes(text) && isPhone(text);
  const wantsCountry = listed.some((text) => isRead(text) && !hasCountryCode(text));
  const country = wantsCountry ? await findPhoneCountry(tx, null) : null;
  return listed.map((text, index) => {
    const path = `test_mode.test_numbers[${index}]`;
    if (!stored.includes(text) && readNames(channel, text).length === 0)
      throw invalid(path, 'does not identify a person on this channel');
    if (!isRead(text)) return text;
    const read = readPhone(text, country);
    if (!isPhoneFault(read)) return phoneKey(read.phone_number) === phoneKey(text) ? text : read.phone_number;
    if (plainPhoneText(text).startsWith('+')) return text;
    throw invalid(path, read.message);
  });
}
