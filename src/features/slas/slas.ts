/** Keeps the clocks of conversations, and emits the event of a conversation whose target is missed. Companies take turns. */
import type { Kit } from '../../kit.ts';
import type { SystemTx, TenantTx } from '../../platform/store/tenant.ts';
import { createPortionedUpkeep, type UpkeepTask } from '../../platform/work/due-work.ts';
import { emitConversations } from '../conversations/announce.ts';
import { readPolicies } from '../sla-policies/sla-policies.ts';
import { findCalendarOnce, setClocks } from './clocks.ts';
import {
  findCompanyWithNotices,
  findCompanyWithTurns,
  findTimed,
  HAS_NOTICES,
  HAS_TURNS,
  lockMissed,
  noteMissed,
  putOff,
  removeClocks,
  storeClocks,
  takeTurns,
} from './queries.ts';
import type { Clocks } from './schemas.ts';

const LOOK_EVERY_MS = 200;
// The most conversations of one transaction.
const PORTION = 25;
// Each missed target may notify all members of a team.
const MISSED_PORTION = 5;
// How long a company waits after a failure, or for conversations that another transaction holds, while the others get their turns.
const REST_SECONDS = 5;

interface SlaWork {
  due: string;
  findCompany(tx: SystemTx, after: string): Promise<string | null>;
  /** Does one portion of a company. Returns how much it has done. */
  work(tx: TenantTx): Promise<number>;
}

const WORKS: readonly SlaWork[] = [
  { due: HAS_TURNS, findCompany: findCompanyWithTurns, work: keepClocks },
  { due: HAS_NOTICES, findCompany: findCompanyWithNotices, work: tellMissed },
];

export const createSlaUpkeep = (kit: Kit): UpkeepTask[] =>
  WORKS.map(({ due, findCompany, work }) => {
    let last = '';
    return createPortionedUpkeep(kit, {
      due,
      everyMs: LOOK_EVERY_MS,
      failure: 'slas: clocks of conversations are late',
      work: async () => {
        const system = kit.database.system('upkeep');
        const company = (await findCompany(system, last)) ?? (last === '' ? null : await findCompany(system, ''));
        last = company ?? '';
        if (company === null) return false;
        try {
          if ((await kit.database.tenantTx(company, work)) === 0) await putOff(system, company, REST_SECONDS);
        } catch (error) {
          // Failure policy: the company's work stays due, and is tried again after the others.
          kit.log.warn({ err: error, company }, 'slas: clocks could not be kept');
          await putOff(system, company, REST_SECONDS);
        }
        return true;
      },
    });
  });

async function keepClocks(tx: TenantTx): Promise<number> {
  const turns = await takeTurns(tx, PORTION);
  if (turns.length === 0) return 0;
  const timed = await findTimed(tx, turns);
  const terms = { policies: await readPolicies(tx), findCalendar: findCalendarOnce() };
  const now = new Date();
  const set: { conversation: string; clocks: Clocks }[] = [];
  const removed: string[] = [];
  for (const { _id, clocks: before, ...conversation } of timed) {
    const clocks = setClocks(before, conversation, terms, now);
    if (clocks) set.push({ conversation: _id, clocks });
    else if (before) removed.push(_id);
  }
  if (set.length > 0) await storeClocks(tx, set);
  if (removed.length > 0) await removeClocks(tx, removed);
  return turns.length;
}

/** The clocks of a policy that is gone are removed instead. */
async function tellMissed(tx: TenantTx): Promise<number> {
  const locked = await lockMissed(tx, MISSED_PORTION);
  if (locked.length === 0) return 0;
  const policies = new Set((await readPolicies(tx)).map(({ _id }) => _id));
  const timed = await findTimed(tx, locked);
  const orphans = timed.filter(({ clocks }) => clocks && !policies.has(clocks.policy)).map(({ _id }) => _id);
  if (orphans.length > 0) await removeClocks(tx, orphans);
  const missed = await noteMissed(tx, locked);
  if (missed.length > 0) await emitConversations(tx, missed);
  return locked.length;
}
