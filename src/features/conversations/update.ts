/** Changes conversations: the fields that a caller writes, those that follow from them, and the events. */
import { isDeepStrictEqual } from 'node:util';
import type { Kit } from '../../kit.ts';
import { violates } from '../../platform/store/db.ts';
import { AppError, expectFound, invalid, unknownReference } from '../../platform/values/errors.ts';
import { emit } from '../../platform/store/events.ts';
import { expectRecordSize } from '../../platform/values/sizes.ts';
import type { Acting, TenantTx } from '../../platform/store/tenant.ts';
import { applyValues, fieldEvents } from '../custom-fields/values.ts';
import { toStepCause, keepStepFromRemoval, readStep, makeStepChangedEvent } from '../pipelines/steps.ts';
import { expectTeam } from '../teams/teams.ts';
import { expectUsers } from '../users/assignments.ts';
import { expectConversation } from './conversations.ts';
import { continueWindows } from './ingest-queries.ts';
import { Wake } from './jobs.ts';
import {
  findOtherOpenConversation,
  lockConversation,
  updateConversation,
  type ConversationFields,
  type LockedConversation,
} from './queries.ts';
import type { Conversation, ConversationUpdate } from './schemas.ts';

type HeldStep = NonNullable<Awaited<ReturnType<typeof keepStepFromRemoval>>>;

/** Throws CONVERSATION_OPEN when the change would give the contact a second open conversation in the inbox. */
export async function updateConversationById(
  kit: Kit,
  tenant: Acting,
  id: string,
  input: ConversationUpdate,
): Promise<Conversation> {
  return refuseSecondOpen(tenant, { id, path: 'status' }, () =>
    tenant.tx(async (tx) => {
      const change = { id, step: input.step, makeInput: () => input };
      return (await changeConversationById(kit, tx, tenant, change)).conversation;
    }),
  );
}

export interface ChangedConversation {
  conversation: Conversation;
  /** False when the conversation already was as the change makes it. */
  isChanged: boolean;
}

interface ChangeById {
  id: string;
  /** The new step; null for none, and undefined when the change leaves the step. */
  step: string | null | undefined;
  /** Makes the change for the conversation in the state in which it was locked. */
  makeInput(before: Conversation): ConversationUpdate;
}

/** Changes a conversation in the caller's transaction, and plans the end of its snooze. */
export async function changeConversationById(
  kit: Kit,
  tx: TenantTx,
  tenant: Acting,
  { id, step: stepId = null, makeInput }: ChangeById,
): Promise<ChangedConversation> {
  const { before, step } = await lockWithStep(tx, id, stepId);
  const changed = await changeConversation(tx, tenant, before, { input: makeInput(before), step });
  const until = changed.conversation.snoozed_until;
  if (until !== null && until !== before.snoozed_until) await enqueueWake(kit, tx, changed.conversation, until);
  return changed;
}

/**
 * Runs work that may open the conversation `id`. Throws CONVERSATION_OPEN naming `path`, with the id of the other conversation, when the
 * contact has another open one in the inbox.
 */
export async function refuseSecondOpen<T>(
  tenant: Acting,
  { id, path }: { id: string; path: string },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // Failure policy: an error of the unique index becomes CONVERSATION_OPEN with the id of the other conversation; any other error is
    // thrown on.
    const refusal = findSecondOpen(error, path);
    if (!refusal) throw error;
    refusal.existingId = (await findOtherOpenConversation(tenant.read, id))?._id ?? null;
    throw refusal;
  }
}

/** Returns CONVERSATION_OPEN naming `path` when the unique index has refused a second open conversation; null for any other error. */
export function findSecondOpen(error: unknown, path: string): AppError | null {
  if (!violates(error, 'conversations_open_key')) return null;
  const message = 'is closed, and the contact has another open conversation in this inbox';
  return new AppError('CONVERSATION_OPEN', undefined, [{ path, code: 'CONVERSATION_OPEN', message }]);
}

/** Opens a CLOSED conversation again in the caller's transaction, and emits the event. */
export async function reopenConversation(tx: TenantTx, tenant: Acting, id: string): Promise<void> {
  const before = await lockConversation(tx, id);
  if (before?.status !== 'CLOSED') return;
  await changeConversation(tx, tenant, before, { input: { status: 'OPEN' }, step: null });
}

/** Takes a conversation over from its agent, because a person writes. The caller has locked it. */
export async function takeOver(tx: TenantTx, tenant: Acting, id: string): Promise<void> {
  const before = await lockConversation(tx, id);
  if (before?.handled_by === 'AI')
    await changeConversation(tx, tenant, before, { input: { handled_by: 'HUMAN' }, step: null });
}

/** Moves a conversation to a step. Only CONVERSATION_STEP_CHANGED is emitted. */
export async function moveConversation(tenant: Acting, id: string, stepId: string): Promise<Conversation> {
  return tenant.tx(async (tx) => {
    const { before, step } = await lockWithStep(tx, id, stepId);
    if (!step || step._id === before.step) return expectConversation(tx, id);
    await updateConversation(tx, id, { ...before, step: step._id, pipeline: step.pipeline }, { keepsValues: true });
    await emit(tx, [await makeStepEvent(tx, tenant, before, step)]);
    return expectConversation(tx, id);
  });
}

/** Locks the step before the conversation, because a removal of the step locks them in the same order. */
async function lockWithStep(
  tx: TenantTx,
  id: string,
  stepId: string | null,
): Promise<{ before: LockedConversation; step: HeldStep | null }> {
  const step = stepId === null ? null : await keepStepFromRemoval(tx, stepId);
  const before = expectFound(await lockConversation(tx, id));
  if (stepId !== null && !step) throw unknownReference('step');
  return { before, step };
}

// 4,096 characters of up to four bytes, and the message's other parts.
const MAX_LAST_MESSAGE_BYTES = 17 * 1024;

/** Writes the fields that really change and emits the events, in the transaction of the caller, which has locked the conversation. */
async function changeConversation(
  tx: TenantTx,
  tenant: Acting,
  before: LockedConversation,
  { input, step }: { input: ConversationUpdate; step: HeldStep | null },
): Promise<ChangedConversation> {
  const isNew = (field: 'owner' | 'attendant'): boolean => input[field] !== before[field];
  await expectUsers(
    tx,
    { ...(isNew('owner') && { owner: input.owner }), ...(isNew('attendant') && { attendant: input.attendant }) },
    before.inbox,
  );
  await expectTeam(tx, 'team', input.team);
  const { held, changes } = await applyValues(tx, 'conversation', before.held, input.custom_fields);
  const own = pickFields(before);
  const next = { ...applyUpdate(own, input, step), held };
  // The conversation is read again, because the locked record may show an older last message from before the wait for the lock.
  if (isDeepStrictEqual(next, own)) return { conversation: await expectConversation(tx, before._id), isChanged: false };
  await updateConversation(tx, before._id, next, { keepsValues: changes.length === 0 });
  if (before.status === 'CLOSED' && next.status !== 'CLOSED') await continueWindows(tx, before.contact, before.inbox);
  const conversation = await expectConversation(tx, before._id);
  // A later last message may be longer than the present one. Ids, statuses and times have room next to it, so that a full conversation can
  // still be assigned and closed.
  const largest = { ...conversation, last_message: 'x'.repeat(MAX_LAST_MESSAGE_BYTES) };
  expectRecordSize('custom_fields', largest, { before: [own.tags, own.held], after: [next.tags, next.held] });
  const { _id, company, contact } = conversation;
  await emit(tx, [
    { event: 'CONVERSATION_UPDATED', data: conversation },
    ...(step && step._id !== before.step ? [await makeStepEvent(tx, tenant, before, step)] : []),
    ...fieldEvents({ _id, company, contact, conversation: _id }, changes),
  ]);
  return { conversation, isChanged: true };
}

function pickFields(conversation: LockedConversation): ConversationFields {
  const {
    status,
    priority,
    handled_by,
    agent,
    owner,
    attendant,
    team,
    pipeline,
    step,
    tags,
    snoozed_until,
    closed_at,
    held,
  } = conversation;
  return {
    status,
    priority,
    handled_by,
    agent,
    owner,
    attendant,
    team,
    pipeline,
    step,
    tags,
    snoozed_until,
    closed_at,
    held,
  };
}

/** Applies the given fields and those that follow: the pipeline from the step, the times from the status. */
function applyUpdate(own: ConversationFields, input: ConversationUpdate, step: HeldStep | null): ConversationFields {
  const { custom_fields: _values, step: stepId, ...plain } = input;
  const next = { ...own, ...plain };
  if (stepId !== undefined) Object.assign(next, { step: step?._id ?? null, pipeline: step?.pipeline ?? null });
  if (next.handled_by === 'AI' && next.agent === null) {
    if (input.handled_by === 'AI') throw invalid('handled_by', 'AI requires an agent');
    // A change that removes the agent also ends the handling by AI.
    if (input.agent === null) next.handled_by = 'NONE';
  }
  if (next.status === 'SNOOZED') next.snoozed_until = readSnoozeEnd(input.snoozed_until, own);
  else if (input.snoozed_until) throw invalid('snoozed_until', 'is only for a SNOOZED conversation');
  else next.snoozed_until = null;
  if (next.status !== 'CLOSED') next.closed_at = null;
  else next.closed_at = own.closed_at ?? new Date().toISOString();
  return next;
}

/** Returns the end of the snooze in the stored format, so that the same time in another format is no change. */
function readSnoozeEnd(until: string | null | undefined, own: ConversationFields): string | null {
  if (until === undefined) return own.snoozed_until;
  if (until !== null && !(Date.parse(until) > Date.now())) throw invalid('snoozed_until', 'is in the past', 'PAST');
  return until && new Date(until).toISOString();
}

async function makeStepEvent(tx: TenantTx, tenant: Acting, before: Conversation, current: HeldStep) {
  const previous = before.step === null ? null : await readStep(tx, before.step);
  return makeStepChangedEvent({ conversation: before, previous, current, cause: toStepCause(tenant.actor) });
}

/** Enqueues a job for each end that a snooze is given; only the job whose end is still current opens the conversation. */
export async function enqueueWake(
  kit: Kit,
  tx: TenantTx,
  { _id, company }: Conversation,
  until: string,
): Promise<void> {
  const delaySeconds = Math.max(1, Math.ceil((Date.parse(until) - Date.now()) / 1000));
  await kit.enqueue(tx, Wake, { company, conversation: _id, until }, { key: `${_id} ${until}`, delaySeconds });
}
