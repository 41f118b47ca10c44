/** Stores values in the database that all processes have to agree on, such as the fingerprint of the encryption key. */
import { exec, maybeOne, one } from './db.ts';
import { fingerprintSecret } from './secrets.ts';
import type { SystemTx } from './tenant.ts';
import type { TokenSecrets } from '../http/tokens.ts';

const KEY = 'encryption.key';
const TOKEN_SECRET = 'token.secret';

/**
 * Stores the fingerprint of the encryption key of the first process. Throws an error with one sentence in a later process that has another
 * key.
 */
export async function agreeOnEncryptionKey(tx: SystemTx, encryptionKey: string): Promise<void> {
  const fingerprint = fingerprintSecret(encryptionKey);
  await exec(tx, {
    name: 'installation.leaveKey',
    text: 'insert into platform_state (key, value) values ($1, $2) on conflict do nothing',
    values: [KEY, fingerprint],
  });
  const { value } = await one<{ value: string }>(tx, {
    name: 'installation.findKey',
    text: 'select value from platform_state where key = $1',
    values: [KEY],
  });
  if (value === fingerprint) return;
  throw new Error(
    'what is stored was encrypted with another ENCRYPTION_KEY: give every process the same one (or the same DATA_DIR/secrets.json)',
  );
}

/** Fingerprints of the secret that signs tokens now, and of the secrets that were replaced before. */
interface KnownSecrets {
  current: string;
  replaced: string[];
}

/**
 * Stores the fingerprint of the token secret of the first process. A later process must have the same secret, or replace it by naming the
 * old one as the previous secret; otherwise this throws an error with one sentence. A replaced secret is never accepted again, because it
 * may have leaked. The caller passes a transaction, so that two processes that replace the secret at once do so one after the other.
 */
export async function agreeOnTokenSecret(tx: SystemTx, { current, previous }: TokenSecrets): Promise<void> {
  const mine = fingerprintSecret(current);
  await exec(tx, {
    name: 'installation.leaveTokenSecret',
    text: 'insert into platform_state (key, value) values ($1, $2) on conflict do nothing',
    values: [TOKEN_SECRET, JSON.stringify({ current: mine, replaced: [] } satisfies KnownSecrets)],
  });
  const { value } = await one<{ value: string }>(tx, {
    name: 'installation.lockTokenSecret',
    text: 'select value from platform_state where key = $1 for update',
    values: [TOKEN_SECRET],
  });
  const known = JSON.parse(value) as KnownSecrets;
  if (known.current === mine) return;
  if (known.replaced.includes(mine)) {
    throw new Error('this JWT_SECRET was replaced by a newer one: start every process with the newer one');
  }
  if (previous === null || known.current !== fingerprintSecret(previous)) {
    throw new Error(
      'tokens are signed with another JWT_SECRET: give every process the same one (or the same DATA_DIR/secrets.json), or replace it by naming it as JWT_SECRET_PREVIOUS',
    );
  }
  const next: KnownSecrets = { current: mine, replaced: [...known.replaced, known.current] };
  await exec(tx, {
    name: 'installation.replaceTokenSecret',
    text: 'update platform_state set value = $2 where key = $1',
    values: [TOKEN_SECRET, JSON.stringify(next)],
  });
}

/** Stores the address that the sandbox listens on and returns its former address. */
export async function storeSandboxOrigin(tx: SystemTx, origin: string): Promise<string | null> {
  const before = await maybeOne<{ value: string }>(tx, {
    name: 'installation.findSandbox',
    text: `select value from platform_state where key = 'sandbox.origin'`,
    values: [],
  });
  await exec(tx, {
    name: 'installation.noteSandbox',
    text: `insert into platform_state (key, value) values ('sandbox.origin', $1) on conflict (key) do update set value = excluded.value`,
    values: [origin],
  });
  return before?.value ?? null;
}

/** The company whose demo records have not been created completely yet, and the key in whose name they are created. */
export interface WantedDemo {
  companyId: string;
  keyId: string;
}

export async function findWantedDemo(tx: SystemTx): Promise<WantedDemo | null> {
  const wanted = await maybeOne<{ value: string }>(tx, {
    name: 'installation.findDemo',
    text: `select value from platform_state where key = 'demo.wanted'`,
    values: [],
  });
  return JSON.parse(wanted?.value ?? 'null') as WantedDemo | null;
}

export async function storeWantedDemo(tx: SystemTx, demo: WantedDemo | null): Promise<void> {
  await exec(tx, {
    name: 'installation.noteDemo',
    text: `insert into platform_state (key, value) values ('demo.wanted', $1) on conflict (key) do update set value = excluded.value`,
    values: [JSON.stringify(demo)],
  });
}

/** Returns the stored value, which is `made` unless an earlier process has stored one. */
export async function agreeOnPushKeys(tx: SystemTx, made: string): Promise<string> {
  await exec(tx, {
    name: 'installation.leavePushKeys',
    text: `insert into platform_state (key, value) values ('push.keys', $1) on conflict do nothing`,
    values: [made],
  });
  const { value } = await one<{ value: string }>(tx, {
    name: 'installation.findPushKeys',
    text: `select value from platform_state where key = 'push.keys'`,
    values: [],
  });
  return value;
}
