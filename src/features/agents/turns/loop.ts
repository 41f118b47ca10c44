/** The loop that lets agents answer. Companies take turns, and one whose model or server takes very long gets few slots. */
import type { Kit } from '../../../kit.ts';
import { startClaimLoop, type ClaimLoop } from '../../../platform/work/claims/claim-loop.ts';
import { openLeases } from '../../../platform/work/claims/leases.ts';
import {
  claimTurns,
  listHeldTurns,
  restTurns,
  takeUnsettled,
  TURN_QUEUE,
  type ClaimedTurn,
  type TurnEnd,
} from './queue-queries.ts';
import { SETTLE_SECONDS, settleLeftWork } from '../../sends/due/left-work.ts';
import { giveUpTurn, settleLeft, takeTurn } from './turn.ts';

// A turn waits for a model most of its time, and then uses neither CPU time nor a connection to the database.
const SLOTS = 64;
const SLOTS_PER_COMPANY = 32;
// A model that thinks for some seconds is not slow.
const SLOW_MS = 10_000;
// The longest turn: a model may take half a minute, and the network ten seconds.
const TURN_MS = 60_000;
// A turn that fails is taken again after 2 s, then after twice as long each time.
const MAX_ATTEMPTS = 3;
// How often the loop looks whether later messages have come.
const OVERTAKEN_LOOK_MS = 1_000;
const FIRST_PAUSE_SECONDS = 2;

export function startAgents(kit: Kit): Pick<ClaimLoop, 'dueWork' | 'stop'> {
  const system = kit.database.system('upkeep');
  const running = new Map<ClaimedTurn, AbortController>();
  const look = setInterval(() => void endOvertaken(kit, running), OVERTAKEN_LOOK_MS);
  async function act(turn: ClaimedTurn, stopping: AbortSignal): Promise<TurnEnd> {
    const overtaken = new AbortController();
    running.set(turn, overtaken);
    const end = await takeOnce(kit, turn, { stopping, overtaken: overtaken.signal });
    running.delete(turn);
    return end;
  }
  const loop = startClaimLoop<ClaimedTurn, TurnEnd>(
    {
      ...openLeases<ClaimedTurn>(system, TURN_QUEUE),
      name: 'agents',
      slots: SLOTS,
      slotsPerCompany: SLOTS_PER_COMPANY,
      slowMs: SLOW_MS,
      claim: (capacity) => claimTurns(system, capacity),
      act,
      actMs: TURN_MS,
      record: async (ends) => {
        const resting = ends.filter(({ pause_seconds }) => pause_seconds !== null);
        if (resting.length > 0) await restTurns(system, resting);
      },
      sweep: () =>
        settleLeftWork(kit, {
          name: 'agents',
          take: () => takeUnsettled(system, SETTLE_SECONDS),
          settle: settleLeft,
        }),
    },
    kit,
  );
  return {
    dueWork: loop.dueWork,
    stop: () => {
      clearInterval(look);
      return loop.stop();
    },
  };
}

/** Ends the work on answers that a later message has overtaken. Never throws. */
async function endOvertaken(kit: Kit, running: ReadonlyMap<ClaimedTurn, AbortController>): Promise<void> {
  if (running.size === 0) return;
  try {
    const turns = [...running];
    const held = await listHeldTurns(
      kit.database.system('upkeep'),
      turns.map(([turn]) => turn),
    );
    for (const [turn, overtaken] of turns) if (!held.has(turn._id)) overtaken.abort();
  } catch (error) {
    // Failure policy: an overtaken answer is dropped when it is ready, so ending it early only saves work.
    kit.log.warn({ err: error }, 'agents: overtaken answers could not be found');
  }
}

/** Takes a turn. Never throws. */
async function takeOnce(
  kit: Kit,
  turn: ClaimedTurn,
  { stopping, overtaken }: Record<'stopping' | 'overtaken', AbortSignal>,
): Promise<TurnEnd> {
  const { company, _id, claimed_at, attempts } = turn;
  const end = { company, _id, claimed_at };
  try {
    // A turn that has killed its worker several times is not begun again.
    await (attempts > MAX_ATTEMPTS
      ? giveUpTurn(kit, turn)
      : takeTurn(kit, turn, AbortSignal.any([stopping, overtaken])));
    return { ...end, pause_seconds: null };
  } catch (error) {
    // Failure policy: an overtaken turn starts again, and one that a stop has ended is left to the next process. Any other turn is taken again
    // after a pause, and in the end a person gets the conversation.
    if (overtaken.aborted) return { ...end, pause_seconds: null };
    if (stopping.aborted) return { ...end, pause_seconds: 0 };
    kit.log.warn({ err: error, conversation: _id }, 'agents: a turn failed');
    return { ...end, pause_seconds: FIRST_PAUSE_SECONDS * 2 ** Math.min(attempts - 1, MAX_ATTEMPTS) };
  }
}
