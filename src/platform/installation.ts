/** What all processes on one database have to agree on. */
import { exec, maybeOne, one } from './db.ts';
import { fingerprintOf } from './secrets.ts';
import type { SystemTx } from './tenant.ts';

const KEY = 'encryption.key';

/** The first process leaves its key's fingerprint; throws one sentence in a later one that has another key. */
export async function agreeOnKey(tx: SystemTx, encryptionKey: string): Promise<void> {
  const fingerprint = fingerprintOf(encryptionKey);
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
