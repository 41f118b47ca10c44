/** Gives the conversations of a team that have no owner to its members, by the rule of the team. */
import type { Kit } from '../../kit.ts';
import type { TenantTx } from '../../platform/store/tenant.ts';
import { allows, ROLE_SCOPES, USER_ROLES } from '../../platform/values/scopes.ts';
import { lastServedCompany } from '../../platform/work/claims/claim-loop.ts';
import { createPortionedUpkeep, type UpkeepTask } from '../../platform/work/due-work.ts';
import { emitConversations } from '../conversations/announce.ts';
import {
  addTurn,
  findMembers,
  findRule,
  findTurns,
  give,
  HAS_TURNS,
  hasWaiting,
  lockWaiting,
  notifyWaiting,
  putOff,
  takeTurns,
  tryLockCompany,
  type FreeMember,
  type Given,
  type Rule,
  type Waiting,
  type TeamTurn,
} from './queries.ts';

const LOOK_EVERY_MS = 200;
// The most conversations of one transaction.
const PORTION = 100;
// How long a team waits for conversations, or a company's lock, that another transaction holds.
const BUSY_SECONDS = 1;
// How long a team waits after a failure, while the others get their turns.
const FAILED_SECONDS = 30;

const ANSWERING = USER_ROLES.filter((role) => allows(ROLE_SCOPES[role], 'messages:create'));

// How many companies are served between two looks for those that wait; each gets one turn.
const COMPANIES_AT_ONCE = 10;

export function createDistribution(kit: Kit): UpkeepTask {
  let after = '';
  return createPortionedUpkeep(kit, {
    due: HAS_TURNS,
    everyMs: LOOK_EVERY_MS,
    failure: 'teams: conversations wait for an owner',
    work: async () => {
      const capacity = { slots: COMPANIES_AT_ONCE, first: 1, free: new Map(), after };
      let hasWorked = false;
      const turns = await findTurns(kit.database.system('upkeep'), capacity);
      for (const turn of turns) hasWorked = (await takeTurn(kit, turn)) || hasWorked;
      after = lastServedCompany(turns, after);
      return hasWorked;
    },
  });
}

/** Returns false when another process has the turn, which the next look would find again. */
async function takeTurn(kit: Kit, turn: TeamTurn): Promise<boolean> {
  const system = kit.database.system('upkeep');
  try {
    const isTaken = await kit.database.tenantTx(turn.company, (tx) => giveOut(tx, turn.team));
    return isTaken || (await putOff(system, turn, BUSY_SECONDS)) > 0;
  } catch (error) {
    // Failure policy: the team keeps its turn and gets it again later, so that it does not hold up the others.
    kit.log.warn({ err: error, team: turn.team }, 'teams: conversations could not be given to members');
    return (await putOff(system, turn, FAILED_SECONDS)) > 0;
  }
}

/** Gives out one portion. Returns false while another process does it for this company. */
async function giveOut(tx: TenantTx, team: string): Promise<boolean> {
  if (!(await tryLockCompany(tx))) return false;
  if ((await takeTurns(tx, team)) === 0) return true;
  const rule = await findRule(tx, team);
  if (!rule || !(await hasWaiting(tx, team, null))) return true;
  const members = (await findMembers(tx, team, ANSWERING)).filter((member) => !isFull(member, rule));
  const waiting = members.length === 0 ? [] : await lockWaiting(tx, team, joinInboxes(members), PORTION);
  const { given, free } = distribute(waiting, members, rule);
  if (given.length > 0) {
    await give(tx, team, given);
    await emitConversations(
      tx,
      given.map(({ conversation }) => conversation),
    );
  }
  const served = joinInboxes(free);
  if (served !== null) await notifyWaiting(tx, team, served);
  // More than a portion is waiting, or other transactions have locked some.
  if (free.length > 0 && (await hasWaiting(tx, team, served)))
    await addTurn(tx, team, waiting.length === PORTION ? 0 : BUSY_SECONDS);
  return true;
}

const isFull = ({ load }: FreeMember, { capacity }: Rule): boolean => capacity !== null && load >= capacity;

/** Returns the inboxes that at least one of the members sees; null for all. */
const joinInboxes = (members: FreeMember[]): string[] | null =>
  members.some(({ inboxes }) => inboxes === null)
    ? null
    : [...new Set(members.flatMap(({ inboxes }) => inboxes ?? []))];

/** Chooses a member for each conversation, until all who see it have as many as they may have. Returns those who could have more. */
function distribute(
  conversations: Waiting[],
  members: FreeMember[],
  rule: Rule,
): { given: Given[]; free: FreeMember[] } {
  const given: Given[] = [];
  let free = members;
  for (const { _id: conversation, inbox } of conversations) {
    const able = free.filter(({ inboxes }) => inboxes === null || inboxes.includes(inbox));
    const least = Math.min(...able.map(({ load }) => load));
    // The order is that of the last assignments, so that among equals it is everybody's turn.
    const next = rule.distribution === 'LEAST_LOADED' ? able.find(({ load }) => load === least) : able[0];
    if (!next) continue;
    given.push({ conversation, user: next.user });
    const after = { ...next, load: next.load + 1 };
    free = [...free.filter((each) => each !== next), ...(isFull(after, rule) ? [] : [after])];
  }
  return { given, free };
}
