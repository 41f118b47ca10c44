/** What all processes on one database have to agree on. */
import { exec, maybeOne, one } from './db.ts';
import { fingerprintSecret } from './secrets.ts';
import type { SystemTx } from './tenant.ts';
import type { TokenSecrets } from './tokens.ts';

const KEY = 'encryption.key';
const TOKEN_SECRET = 'token.secret';

/** The first process leaves its key's fingerprint; throws one sentence in a later one that has another key. */
export async function agreeOnKey(tx: SystemTx, encryptionKey: string): Promise<void> {
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

/** Fingerprints: of the secret that all processes sign with, and of those that it took the place of. */
interface KnownSecrets {
  current: string;
  replaced: string[];
}

/**
 * The first process leaves its secret's fingerprint. A later process has the same secret, or replaces it by naming it as the
 * previous one; any other throws one sentence. A secret that was replaced never comes back: it may have been replaced because
 * it leaked. Takes a transaction, so that two processes that replace it at once come one after the other.
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

/** Notes where the sandbox listens; answers where it did before. */
export async function noteSandbox(tx: SystemTx, origin: string): Promise<string | null> {
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

/** The company whose demo is still to be made, and the key in whose name; null when nobody waits for one. */
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

export async function noteWantedDemo(tx: SystemTx, demo: WantedDemo | null): Promise<void> {
  await exec(tx, {
    name: 'installation.noteDemo',
    text: `insert into platform_state (key, value) values ('demo.wanted', $1) on conflict (key) do update set value = excluded.value`,
    values: [JSON.stringify(demo)],
  });
}
