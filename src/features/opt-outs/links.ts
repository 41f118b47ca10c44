/** The addresses at which a contact says that they want no more messages of a company. They name both, and no one else can make one. */
import type { Kit } from '../../kit.ts';
import { isSameSecret } from '../../platform/store/secrets.ts';

/** Whose messages no one wants any more. */
export interface Refuser {
  company: string;
  contact: string;
}

export const OPT_OUT_PATH = '/unsubscribe';

const signRefuser = ({ secrets }: Pick<Kit, 'secrets'>, { company, contact }: Refuser): string =>
  secrets.derive(`opt-out:${company}:${contact}`);

/** Returns the address for this contact. It is always the same one, and works as long as the contact exists. */
export const makeOptOutLink = (kit: Pick<Kit, 'config' | 'secrets'>, refuser: Refuser): string =>
  `${kit.config.PUBLIC_URL}${OPT_OUT_PATH}/${refuser.company}${refuser.contact}${signRefuser(kit, refuser)}`;

const TOKEN = /^([0-9a-f]{24})([0-9a-f]{24})([\w-]{43})$/;

/** Reads the last part of such an address; null when the platform did not make it. */
export function readOptOutToken(kit: Pick<Kit, 'secrets'>, token: string): Refuser | null {
  const [, company, contact, signature] = TOKEN.exec(token) ?? [];
  if (company === undefined || contact === undefined) return null;
  const refuser = { company, contact };
  return isSameSecret(signature, signRefuser(kit, refuser)) ? refuser : null;
}
