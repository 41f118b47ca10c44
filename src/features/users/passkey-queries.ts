/** Queries of passkeys, which belong to persons and not to companies. */
import { exec, maybeOne, one, oneValue } from '../../platform/store/db.ts';
import type { Page, Window } from '../../platform/store/paging.ts';
import { listPage } from '../../platform/store/plain-list.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';
import type { Passkey } from './schemas.ts';

const COLUMNS = '_id, name, last_used_at, created_at as "createdAt", updated_at as "updatedAt"';

/** With which the names of the statements of the list begin. */
const LIST = 'users.passkeys';

export interface StoredPasskey {
  email: string;
  _id: string;
  credential_id: string;
  public_key: Buffer;
  counter: number;
  transports: string[];
}

export function insertPasskey(tx: SystemTx, key: StoredPasskey & { name: string }): Promise<Passkey> {
  return one(tx, {
    name: 'users.insertPasskey',
    text: `insert into passkeys (email, _id, name, credential_id, public_key, counter, transports)
      values (lower($1), $2, $3, $4, $5, $6, $7) returning ${COLUMNS}`,
    values: [key.email, key._id, key.name, key.credential_id, key.public_key, key.counter, key.transports],
  });
}

export function listPasskeys(tx: SystemTx, email: string, window: Window): Promise<Page<Passkey>> {
  return listPage(tx, window, {
    name: LIST,
    columns: COLUMNS,
    from: 'passkeys',
    filter: 'email = lower($1)',
    values: [email],
  });
}

export function findPasskey(tx: SystemTx, email: string, id: string): Promise<Passkey | null> {
  return maybeOne(tx, {
    name: 'users.findPasskey',
    text: `select ${COLUMNS} from passkeys where email = lower($1) and _id = $2`,
    values: [email, id],
  });
}

export function findCredential(tx: SystemTx, credentialId: string): Promise<StoredPasskey | null> {
  return maybeOne(tx, {
    name: 'users.findCredential',
    text: `select email, _id, credential_id, public_key, counter::float8 as counter, transports from passkeys where credential_id = $1`,
    values: [credentialId],
  });
}

/** Returns the ids by which browsers name the passkeys of a person. */
export function listCredentials(tx: SystemTx, email: string): Promise<string[]> {
  return oneValue(tx, {
    name: 'users.listCredentials',
    text: `select coalesce(array_agg(credential_id), '{}') as ids from passkeys where email = lower($1)`,
    values: [email],
  });
}

export function hasPasskey(tx: SystemTx, email: string): Promise<boolean> {
  return oneValue(tx, {
    name: 'users.hasPasskey',
    text: 'select exists (select 1 from passkeys where email = lower($1)) as found',
    values: [email],
  });
}

export function renamePasskey(tx: SystemTx, email: string, id: string, name: string): Promise<Passkey | null> {
  return maybeOne(tx, {
    name: 'users.renamePasskey',
    text: `update passkeys set name = $3, updated_at = now() where email = lower($1) and _id = $2 returning ${COLUMNS}`,
    values: [email, id, name],
  });
}

/** Stores a use. Returns zero for a passkey that was removed meanwhile, or whose counter another log-in has passed. */
export function usePasskey(tx: SystemTx, key: StoredPasskey, counter: number): Promise<number> {
  return exec(tx, {
    name: 'users.usePasskey',
    text: `update passkeys set counter = $3, last_used_at = now()
      where email = $1 and _id = $2 and (counter < $3 or counter = 0 and $3 = 0)`,
    values: [key.email, key._id, counter],
  });
}

export function deletePasskey(tx: SystemTx, email: string, id: string): Promise<Passkey | null> {
  return maybeOne(tx, {
    name: 'users.deletePasskey',
    text: `delete from passkeys where email = lower($1) and _id = $2 returning ${COLUMNS}`,
    values: [email, id],
  });
}

export function deletePasskeys(tx: SystemTx, email: string): Promise<number> {
  return exec(tx, {
    name: 'users.deletePasskeys',
    text: 'delete from passkeys where email = lower($1)',
    values: [email],
  });
}

/** Returns zero for a challenge that was answered before. */
export function useChallenge(tx: SystemTx, challengeHash: Buffer): Promise<number> {
  return exec(tx, {
    name: 'users.useChallenge',
    text: `insert into passkey_challenges (challenge_hash, expires_at) values ($1, now() + interval '1 hour') on conflict do nothing`,
    values: [challengeHash],
  });
}

export function purgeChallenges(tx: SystemTx): Promise<number> {
  return exec(tx, {
    name: 'users.purgeChallenges',
    text: 'delete from passkey_challenges where expires_at < now()',
    values: [],
  });
}
