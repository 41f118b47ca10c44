/** Queries that store links and limit how often an address gets a mail with one. */
import { exec } from '../../platform/store/db.ts';
import type { SystemTx, TenantTx } from '../../platform/store/tenant.ts';
import type { StoredLink } from './account-queries.ts';

export interface NewLink extends StoredLink {
  company: string;
  user: string;
  /** The address of the user, to which a link for a password is mailed. */
  email: string;
  /** How long the link can be used. */
  seconds: number;
}

/**
 * Stores a link, unless the address of the user has changed meanwhile. A change of the address locks the row and deletes links that were
 * stored before.
 */
export function insertLink(tx: SystemTx | TenantTx, link: NewLink): Promise<number> {
  return exec(tx, {
    name: 'users.insertLink',
    text: `insert into password_tokens (token_hash, company_id, user_id, expires_at, purpose)
      select $1, company_id, _id, now() + make_interval(secs => $5), $6 from users
      where company_id = $2 and _id = $3 and email = $4 for share`,
    values: [link.tokenHash, link.company, link.user, link.email, link.seconds, link.purpose],
  });
}

/** Deletes a link whose mail could not be sent. */
export function deleteLink(tx: SystemTx, companyId: string, tokenHash: Buffer): Promise<number> {
  return exec(tx, {
    name: 'users.dropLink',
    text: 'delete from password_tokens where company_id = $1 and token_hash = $2',
    values: [companyId, tokenHash],
  });
}

/** Who causes a mail: a company that invites the address, or null for a person who forgot their password. */
export interface LinkMailing {
  company: string | null;
  email: string;
}

/** Claims the right to send a mail. Returns zero when the same company or person had a mail sent to this address within the pause. */
export function claimMailing(tx: SystemTx, { company, email }: LinkMailing, pauseSeconds: number): Promise<number> {
  return exec(tx, {
    name: 'users.claimMail',
    text: `insert into mailed_links as m (company_id, email, mailed_at) values ($1, lower($2), now())
      on conflict (company_id, email) do update set mailed_at = now() where m.mailed_at <= now() - make_interval(secs => $3)`,
    values: [company, email, pauseSeconds],
  });
}

/** Deletes the claim of a mail that could not be sent, so that the mail can be tried again. */
export function releaseMailing(tx: SystemTx, { company, email }: LinkMailing): Promise<number> {
  return exec(tx, {
    name: 'users.returnMail',
    text: 'delete from mailed_links where company_id is not distinct from $1 and email = lower($2)',
    values: [company, email],
  });
}

export function purgeLinks(tx: SystemTx): Promise<number> {
  return exec(tx, {
    name: 'users.purgeLinks',
    text: 'delete from password_tokens where expires_at < now()',
    values: [],
  });
}

export function purgeMailings(tx: SystemTx): Promise<number> {
  return exec(tx, {
    name: 'users.purgeMailings',
    text: `delete from mailed_links where mailed_at < now() - interval '1 hour'`,
    values: [],
  });
}
