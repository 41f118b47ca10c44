/** Starts and ends the greedy company on behalf of the proof. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { PlatformProcess } from '../harness/processes.ts';
import { createInbox, type Stage, type Tenant } from '../harness/stage.ts';
import { GREEDS } from './greeds.ts';
import type { GreedyOrders, GreedyResults } from './play.ts';

export interface GreedyCompanies {
  /** Prepares a new company for one way of being greedy; resolves when the company is ready to begin. */
  open(greed: { name: string; number: number; scale: number }): Promise<GreedyCompany>;
  close(): Promise<void>;
}

export interface GreedyCompany {
  begin(): void;
  /** Ends the greedy company's requests and returns the answers that it got. */
  end(): Promise<GreedyResults>;
}

const PROGRAM = new URL('tenant.ts', import.meta.url);
const KEYS = 6;

export function openGreedyCompanies(stage: Stage, api: PlatformProcess): GreedyCompanies {
  // The child process gets its own session, so that its low priority also counts against the processes of the database (platform/work/child.ts).
  const child = fork(PROGRAM, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], detached: true });
  const exited = once(child, 'exit');
  const failed = exited.then(([code]) => {
    throw new Error(`the greedy company ended with ${String(code)}`);
  });
  // A failure of the child process is reported where this promise is awaited.
  failed.catch(() => undefined);
  const nextMessage = async (): Promise<unknown> => {
    const [words] = (await Promise.race([once(child, 'message'), failed])) as [unknown];
    return words;
  };
  return {
    open: async ({ name, number, scale }) => {
      const tenant = await stage.createTenant(`Greedy ${number}`);
      const phone = `9000000000${String(number).padStart(5, '0')}`;
      await createInbox(api, tenant, phone);
      await insertContacts(stage, tenant, Math.round((GREEDS[name]?.people ?? 0) * scale));
      const { _id: company, key } = tenant;
      const keys = [key];
      while (keys.length < KEYS) keys.push((await stage.createToken(tenant)).token);
      const orders: GreedyOrders = { name, url: api.url, company, keys, phone, appSecret: stage.appSecret, scale };
      const prepared = nextMessage();
      child.send(orders);
      await prepared;
      return {
        begin: () => void child.send('begin'),
        end: async () => {
          const spoils = nextMessage();
          child.send('end');
          return (await spoils) as GreedyResults;
        },
      };
    },
    close: async () => {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}

/** Inserts contacts of which the planner has no statistics yet. */
async function insertContacts({ store }: Stage, { _id: company }: Tenant, people: number): Promise<void> {
  if (people === 0) return;
  await store.sql('alter table contacts set (autovacuum_enabled = false)');
  await store.sql(
    `insert into contacts (company_id, _id, name, email, phone_number, country_code, source, created_at)
      select $1, lpad(to_hex(n), 24, '0'), 'Ana Silva ' || n, 'ana.' || n || '@example.com',
        '+55119' || lpad(n::text, 8, '0'), 'BR', 'IMPORT', now() - n * interval '1 second'
      from generate_series(1, $2::int) n`,
    [company, people],
  );
}
