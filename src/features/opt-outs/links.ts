/** The addresses at which a contact says that they want no more messages of a company. */
import type { Kit } from '../../kit.ts';
import { readToken, signToken } from '../../platform/store/signed-tokens.ts';

/** Whose messages no one wants any more. */
export interface Refuser {
  company: string;
  contact: string;
}

export const OPT_OUT_PATH = '/unsubscribe';
const PURPOSE = 'opt-out';

/** Returns the address for this contact. It is always the same one, and works as long as the contact exists. */
export const makeOptOutLink = (
  { config, secrets }: Pick<Kit, 'config' | 'secrets'>,
  { company, contact }: Refuser,
): string => `${config.PUBLIC_URL}${OPT_OUT_PATH}/${signToken(secrets, PURPOSE, { company, id: contact })}`;

/** Reads the last part of such an address; null when the platform did not make it. */
export function readOptOutToken({ secrets }: Pick<Kit, 'secrets'>, token: string): Refuser | null {
  const named = readToken(secrets, PURPOSE, token);
  return named && { company: named.company, contact: named.id };
}
