/** Leaves turns for agents in the transaction that stores the messages of contacts. */
import { exec } from '../../../platform/store/db.ts';
import type { SystemTx } from '../../../platform/store/tenant.ts';
import { declareLimit } from '../../../platform/values/limits.ts';

/** A message that an agent should answer. */
export interface PendingTurn {
  company: string;
  conversation: string;
  message: string;
}

/** The longest wait before an answer, once later messages have ended several in the making. */
const MOST_PAUSE_SECONDS = declareLimit(60, {
  topic: 'Agents',
  what: 'Answer: wait while the contact keeps writing',
  unit: 'seconds',
  beyond: 'the agent answers',
});
/** A contact who writes on and on is answered after this many times the usual wait. */
const MOST_WAITS = 5;

/**
 * Leaves one turn for each conversation, which begins after `waitSeconds` without a further message. An answer that is in the making is
 * dropped, and the next one waits twice as long each time, because a model costs money. A blocked contact gets no answer.
 */
export function leaveTurns(tx: SystemTx, turns: PendingTurn[], waitSeconds: number): Promise<number> {
  return exec(tx, {
    name: 'agents.leaveTurns',
    text: `insert into pending_turns as p (company_id, conversation_id, message_id, first_message_id, held_until)
      select t.*, t.message_id, now() + make_interval(secs => $4) from unnest($1::text[], $2::text[], $3::text[]) as t (company_id, conversation_id, message_id)
        join conversations v on v.company_id = t.company_id and v._id = t.conversation_id
        join contacts c on c.company_id = v.company_id and c._id = v.contact_id and not c.blocked
      order by 1, 2
      on conflict (company_id, conversation_id) do update set message_id = excluded.message_id, is_waiting = false, claimed_at = null,
        attempts = 0, overtaken = p.overtaken + (p.claimed_at is not null)::int, first_at = case when p.claimed_at is null then p.first_at else now() end,
        held_until = case when p.claimed_at is null then least(excluded.held_until, p.first_at + make_interval(secs => $4 * ${MOST_WAITS}))
          else now() + make_interval(secs => least(${MOST_PAUSE_SECONDS}, $4 * power(2, p.overtaken))) end`,
    values: [
      turns.map((turn) => turn.company),
      turns.map((turn) => turn.conversation),
      turns.map((turn) => turn.message),
      waitSeconds,
    ],
  });
}
