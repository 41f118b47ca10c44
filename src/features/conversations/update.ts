/** Changing a conversation: what a caller writes, what follows from it, and what is told. */
import { isDeepStrictEqual } from 'node:util';
import type { Kit } from '../../kit.ts';
import { violates } from '../../platform/db.ts';
import { AppError, invalid, notFound, unknownReference } from '../../platform/errors.ts';
import { emit } from '../../platform/events.ts';
import { expectRecordSize } from '../../platform/sizes.ts';
import type { Tenant, TenantTx } from '../../platform/tenant.ts';
import { applyValues, fieldEvents } from '../custom-fields/values.ts';
import { causeOf, holdStep, readStep, stepChanged } from '../pipelines/steps.ts';
import { expectUsers } from '../users/assignments.ts';
import { continueWindows } from './ingest-queries.ts';
import { Wake } from './jobs.ts';
import {
  findConversation,
  findOpenBeside,
  lockConversation,
  updateConversation,
  type ConversationFields,
  type LockedConversation,
} from './queries.ts';
import type { Conversation, ConversationUpdate } from './schemas.ts';

type Step = NonNullable<Awaited<ReturnType<typeof holdStep>>>;

/** Throws CONVERSATION_OPEN when it would be the second open one of its contact in its inbox. */
export async function updateConversationById(
  kit: Kit,
  tenant: Tenant,
  id: string,
  input: ConversationUpdate,
): Promise<Conversation> {
  const change = (): Promise<Conversation> =>
    tenant.tx(async (tx) => {
      const { before, step } = await lockWithStep(tx, id, input.step ?? null);
      const conversation = await changeConversation(tx, tenant, before, { input, step });
      const until = conversation.snoozed_until;
      if (until !== null && until !== before.snoozed_until) await wakeLater(kit, tx, conversation, until);
      return conversation;
    });
  return refuseSecondOpen(tenant, { id, path: 'status' }, change);
}

/**
 * Runs work that may open the conversation `id`. Throws CONVERSATION_OPEN naming `path`, with the id of the other one, where its
 * contact has another open conversation in its inbox.
 */
export async function refuseSecondOpen<T>(
  tenant: Tenant,
  { id, path }: { id: string; path: string },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // Failure policy: the index refused a second open conversation, and the caller is told which one is open; anything else is theirs.
    if (!violates(error, 'conversations_open_key')) throw error;
    const message = 'is closed, and the contact has another open conversation in this inbox';
    const refusal = new AppError('CONVERSATION_OPEN', undefined, [{ path, code: 'CONVERSATION_OPEN', message }]);
    refusal.existingId = (await findOpenBeside(tenant.read, id))?._id ?? null;
    throw refusal;
  }
}

/** Opens a CLOSED conversation again, with the event; part of the caller's transaction. */
export async function reopenConversation(tx: TenantTx, tenant: Tenant, id: string): Promise<void> {
  const before = await lockConversation(tx, id);
  if (before?.status !== 'CLOSED') return;
  await changeConversation(tx, tenant, before, { input: { status: 'OPEN' }, step: null });
}

/** The dedicated step change: it tells CONVERSATION_STEP_CHANGED alone. */
export async function moveConversation(tenant: Tenant, id: string, stepId: string): Promise<Conversation> {
  return tenant.tx(async (tx) => {
    const { before, step } = await lockWithStep(tx, id, stepId);
    if (!step || step._id === before.step) return expectConversation(tx, id);
    await updateConversation(tx, id, { ...before, step: step._id, pipeline: step.pipeline }, { keepsValues: true });
    await emit(tx, [await stepEvent(tx, tenant, before, step)]);
    return expectConversation(tx, id);
  });
}

/** The step before the conversation: whoever removes a step waits for those who move into it, never the other way round. */
async function lockWithStep(
  tx: TenantTx,
  id: string,
  stepId: string | null,
): Promise<{ before: LockedConversation; step: Step | null }> {
  const step = stepId === null ? null : await holdStep(tx, stepId);
  const before = await lockConversation(tx, id);
  if (!before) throw notFound();
  if (stepId !== null && !step) throw unknownReference('step');
  return { before, step };
}

/** Writes and tells what really changes; part of the caller's transaction, which has locked the conversation. */
export async function changeConversation(
  tx: TenantTx,
  tenant: Tenant,
  before: LockedConversation,
  { input, step }: { input: ConversationUpdate; step: Step | null },
): Promise<Conversation> {
  await expectUsers(tx, { owner: input.owner, attendant: input.attendant });
  const { held, changes } = await applyValues(tx, 'conversation', before.held, input.custom_fields);
  const own = fieldsOf(before);
  const next = { ...applied(own, input, step), held };
  // Read anew: the record that was waited for shows its last message as it was before the wait.
  if (isDeepStrictEqual(next, own)) return expectConversation(tx, before._id);
  await updateConversation(tx, before._id, next, { keepsValues: changes.length === 0 });
  if (before.status === 'CLOSED' && next.status !== 'CLOSED') await continueWindows(tx, before.contact, before.inbox);
  const conversation = expectRecordSize('custom_fields', await expectConversation(tx, before._id), before);
  const { _id, company, contact } = conversation;
  await emit(tx, [
    { event: 'CONVERSATION_UPDATED', data: conversation },
    ...(step && step._id !== before.step ? [await stepEvent(tx, tenant, before, step)] : []),
    ...fieldEvents({ _id, company, contact, conversation: _id }, changes),
  ]);
  return conversation;
}

function fieldsOf(conversation: LockedConversation): ConversationFields {
  const { status, handled_by, agent, owner, attendant, pipeline, step, tags, snoozed_until, closed_at, held } =
    conversation;
  return { status, handled_by, agent, owner, attendant, pipeline, step, tags, snoozed_until, closed_at, held };
}

/** What the caller writes, and what follows: the pipeline from the step, the clocks from the status. */
function applied(own: ConversationFields, input: ConversationUpdate, step: Step | null): ConversationFields {
  const { custom_fields: _values, step: stepId, ...plain } = input;
  const next = { ...own, ...plain };
  if (stepId !== undefined) Object.assign(next, { step: step?._id ?? null, pipeline: step?.pipeline ?? null });
  if (next.handled_by === 'AI' && next.agent === null) {
    if (input.handled_by === 'AI') throw invalid('handled_by', 'AI takes an agent');
    // Whoever takes the agent away leaves the conversation to nobody.
    if (input.agent === null) next.handled_by = 'NONE';
  }
  if (next.status === 'SNOOZED') next.snoozed_until = endOf(input.snoozed_until, own);
  else if (input.snoozed_until) throw invalid('snoozed_until', 'is only for a SNOOZED conversation');
  else next.snoozed_until = null;
  if (next.status !== 'CLOSED') next.closed_at = null;
  else next.closed_at = own.closed_at ?? new Date().toISOString();
  return next;
}

/** As the store has it, so that the same moment in another writing is no change. */
function endOf(until: string | null | undefined, own: ConversationFields): string | null {
  if (until === undefined) return own.snoozed_until;
  if (until !== null && !(Date.parse(until) > Date.now())) throw invalid('snoozed_until', 'is in the past');
  return until && new Date(until).toISOString();
}

async function stepEvent(tx: TenantTx, tenant: Tenant, before: Conversation, current: Step) {
  const previous = before.step === null ? null : await readStep(tx, before.step);
  return stepChanged({ conversation: before, previous, current, cause: causeOf(tenant.principal) });
}

async function expectConversation(tx: TenantTx, id: string): Promise<Conversation> {
  const conversation = await findConversation(tx, id);
  if (!conversation) throw notFound();
  return conversation;
}

/** One job for each end that a snooze was given: the one whose end still counts opens the conversation. */
async function wakeLater(kit: Kit, tx: TenantTx, { _id, company }: Conversation, until: string): Promise<void> {
  const delaySeconds = Math.max(1, Math.ceil((Date.parse(until) - Date.now()) / 1000));
  await kit.enqueue(tx, Wake, { company, conversation: _id, until }, { key: `${_id} ${until}`, delaySeconds });
}
