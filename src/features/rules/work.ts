/** Runs the rules that wait for an event: each in a transaction of its own, in which the event has run it at most once. */
import type { Kit } from '../../kit.ts';
import { newId } from '../../platform/values/ids.ts';
import { emit } from '../../platform/store/events.ts';
import { repeatOvertaken } from '../../platform/store/overtaken.ts';
import { actAs, type Acting, type TenantTx } from '../../platform/store/tenant.ts';
import { toProblem, toRunError } from '../../platform/work/runs/work.ts';
import { lockContactOf, readConversations } from '../conversations/conversations.ts';
import type { Conversation } from '../conversations/schemas.ts';
import { makeActions } from '../macros/actions.ts';
import type { Actions } from '../macros/schemas.ts';
import { compileConditions } from './conditions.ts';
import { findActiveRules } from './queries.ts';
import type { ClaimedEvent } from './queue-queries.ts';
import { beginRun, countRecent, endRun, findText, hasWritten, type NewRun } from './run-queries.ts';
import { MAX_RUNS_PER_HOUR, REPLY_PAUSE_HOURS, type Rule, type RuleRun } from './schemas.ts';

/**
 * Runs the rules of the event, in their order. Throws when the platform itself fails for one of them: the event is then looked at again, and
 * rules that it has run are left out. With `isLast` that ends the rule's run as FAILED.
 */
export async function runRules(kit: Kit, claimed: ClaimedEvent, { isLast }: { isLast: boolean }): Promise<void> {
  const read = kit.database.read(claimed.company);
  const faults: unknown[] = [];
  for (const rule of await findActiveRules(read, claimed.event)) {
    if (claimed.rule !== null && rule._id !== claimed.rule) continue;
    const acting = actAs(kit.database, claimed.company, { type: 'rule', id: rule._id, name: rule.name });
    try {
      await repeatOvertaken(() => acting.tx((tx) => runRule(kit, tx, acting, { rule, claimed })));
    } catch (error) {
      // Failure policy: an error of the rule itself ends its run as FAILED; with any other one the rule runs later, and the others run now.
      kit.log.info({ err: error, company: claimed.company, rule: rule._id }, 'rules: a rule could not be run');
      if (!isLast && (toProblem(error)?.status ?? 500) >= 500) faults.push(error);
      else await failRun(acting, { rule, claimed, error });
    }
  }
  if (faults.length > 0) throw new AggregateError(faults, 'rules could not be run');
}

interface Attempt {
  rule: Rule;
  claimed: ClaimedEvent;
}

const toRun = ({ rule, claimed }: Attempt): NewRun => ({
  _id: newId(),
  rule: rule._id,
  event: claimed.event,
  eventId: claimed._id,
  conversation: claimed.conversation,
  message: claimed.message,
});

async function failRun(acting: Acting, { error, ...attempt }: Attempt & { error: unknown }): Promise<void> {
  await acting.tx(async (tx) => {
    const run = toRun(attempt);
    if ((await lockContactOf(tx, run.conversation)) === null || (await beginRun(tx, run)) === 0) return;
    await endRun(tx, run._id, {
      status: 'FAILED',
      reply_skipped: null,
      scheduled_message: null,
      failure: toRunError(error),
    });
  });
}

async function runRule(kit: Kit, tx: TenantTx, acting: Acting, attempt: Attempt): Promise<void> {
  const { rule, claimed } = attempt;
  // The lock makes two events of a conversation run its rules one after the other.
  if ((await lockContactOf(tx, claimed.conversation)) === null) return;
  const [conversation] = await readConversations(tx, [claimed.conversation]);
  if (!conversation || !isDue(conversation, attempt)) return;
  const found = await findText(tx, claimed);
  if (!compileConditions(rule.conditions)({ conversation, text: found?.text ?? null })) return;
  const run = toRun(attempt);
  if ((await countRecent(tx, run, MAX_RUNS_PER_HOUR)) >= MAX_RUNS_PER_HOUR) return;
  if ((await beginRun(tx, run)) === 0) return;
  const { webhook, ...asked } = rule.actions;
  const { actions, reply_skipped } = await leaveOutReply(tx, attempt, asked);
  const about = { conversation: conversation._id, actions, holdSeconds: 0, audit: { origin: null } };
  const scheduled_message = await makeActions(kit, tx, acting, about);
  const ended = await endRun(tx, run._id, { status: 'DONE', reply_skipped, scheduled_message, failure: null });
  if (webhook) await emit(tx, [{ event: 'RULE_RUN', data: ended }]);
}

/** Whether what the rule waits for is still so: an overdue reply may have been given meanwhile. */
const isDue = ({ waiting_since }: Conversation, { claimed }: Attempt): boolean =>
  claimed.event !== 'REPLY_OVERDUE' || waiting_since === claimed.awaited_at;

/** Leaves out the message to the contact where it could be one of a loop. */
async function leaveOutReply(
  tx: TenantTx,
  { rule, claimed }: Attempt,
  asked: Partial<Actions>,
): Promise<{ actions: Partial<Actions>; reply_skipped: RuleRun['reply_skipped'] }> {
  const { reply, template, ...others } = asked;
  if (reply === undefined && !template) return { actions: asked, reply_skipped: null };
  const about = { rule: rule._id, conversation: claimed.conversation };
  const reply_skipped = claimed.is_automatic
    ? 'AUTOMATIC'
    : (await hasWritten(tx, about, REPLY_PAUSE_HOURS))
      ? 'RECENT'
      : null;
  return { actions: reply_skipped === null ? asked : others, reply_skipped };
}
