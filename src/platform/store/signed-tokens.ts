/** Tokens of public addresses. They name a company and one of its records, and no one else can make one. */
import { isSameSecret, type Secrets } from './secrets.ts';

export interface Named {
  company: string;
  id: string;
}

const sign = (secrets: Secrets, purpose: string, { company, id }: Named): string =>
  secrets.derive(`${purpose}:${company}:${id}`);

/** Returns the token for this record and purpose. It is always the same one. */
export const signToken = (secrets: Secrets, purpose: string, named: Named): string =>
  `${named.company}${named.id}${sign(secrets, purpose, named)}`;

const TOKEN = /^([0-9a-f]{24})([0-9a-f]{24})([\w-]{43})$/;

/** Reads a token; null when the platform did not make it for this purpose. */
export function readToken(secrets: Secrets, purpose: string, token: string): Named | null {
  const [, company, id, signature] = TOKEN.exec(token) ?? [];
  if (company === undefined || id === undefined) return null;
  const named = { company, id };
  return isSameSecret(signature, sign(secrets, purpose, named)) ? named : null;
}
