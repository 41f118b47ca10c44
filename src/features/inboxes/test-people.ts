/** Decides which people an inbox in test mode may write to. */
import type { Channel } from '../../channels/channel.ts';
import { PHONE_NUMBER, type Identity } from '../../channels/identity.ts';
import { invalid } from '../../platform/values/errors.ts';
import { findPhoneCountry } from '../../platform/store/phone-country.ts';
import { expectPhone, phoneKey } from '../../platform/values/phone.ts';
import type { TenantRead } from '../../platform/store/tenant.ts';

/** Reads a text that a caller wrote as each kind of name that it can be; empty when it names nobody on this channel. */
const readNames = ({ identities }: Pick<Channel, 'identities'>, text: string): Identity[] =>
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
 * Returns the people that a caller `listed`, in a form that isNamedIn() finds: a phone number that was written without its country code is
 * returned with it. Texts that are already `stored` are kept as they are.
 */
export async function readTestPeople(
  tx: TenantRead,
  channel: Pick<Channel, 'identities'>,
  { listed, stored }: Record<'listed' | 'stored', readonly string[]>,
): Promise<string[]> {
  const isPhone = (text: string): boolean => readNames(channel, text)[0]?.kind === PHONE_NUMBER.kind;
  const isRead = (text: string): boolean => !stored.includes(text) && !text.startsWith('+') && isPhone(text);
  const country = listed.some(isRead) ? await findPhoneCountry(tx, null) : null;
  return listed.map((text, index) => {
    const path = `test_mode.test_numbers[${index}]`;
    if (!stored.includes(text) && readNames(channel, text).length === 0)
      throw invalid(path, 'does not name a person on this channel');
    if (!isRead(text)) return text;
    const { phone_number } = expectPhone(text, country, path);
    return phoneKey(phone_number) === phoneKey(text) ? text : phone_number;
  });
}
