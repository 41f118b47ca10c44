/**
 * Takes the turn of an agent: reads what waits for an answer, finds the answer, and sends it, or hands the conversation over to a person.
 * The answer and the end of the turn are stored in one transaction, before the network is called. A worker that dies before it leaves the
 * turn to another one; after it no one sends a second answer, and a person takes over when it is unknown whether the answer has arrived.
 */
import type { Kit } from '../../../kit.ts';
import { newId } from '../../../platform/values/ids.ts';
import { actAs, type Acting, type TenantTx } from '../../../platform/store/tenant.ts';
import { expectAttachment } from '../../attachments/attachments.ts';
import { readConversations } from '../../conversations/conversations.ts';
import { changeConversationById } from '../../conversations/update.ts';
import { convertForChannel } from '../../messages/convert-file.ts';
import { storeOutgoing, type Outgoing, type StoredOutgoing } from '../../messages/outgoing.ts';
import { readMessages } from '../../messages/messages.ts';
import type { Message } from '../../messages/schemas.ts';
import { callForStored } from '../../messages/send.ts';
import type { Answer } from '../answers/answer.ts';
import { startNotes } from '../answers/notes.ts';
import { findAnswer } from '../answers/find.ts';
import { scheduleFollowUp } from '../follow-ups/schedule.ts';
import { SETTLE_SECONDS } from '../../sends/due/left-work.ts';
import { findAgent } from '../queries.ts';
import type { Agent, Handoff } from '../schemas.ts';
import type { AnswerWork, HandoffReason } from './schemas.ts';
import type { PlannedFile } from '../tools/tool.ts';
import { applyPlan, lockPlanned } from './apply-plan.ts';
import { readQuestion } from './dialog.ts';
import { isProgram } from './programs.ts';
import type { ClaimedTurn, UnsettledTurn } from './queue-queries.ts';
import {
  countAnswers,
  deleteTurn,
  findTurnPlace,
  insertTurn,
  lockTurn,
  passTurn,
  settleTurn,
  type TurnPlace,
} from './queries.ts';
import { declareLimit } from '../../../platform/values/limits.ts';

// A person takes over once later messages have ended this many answers before they were sent.
const MOST_OVERTAKEN = declareLimit(10, {
  topic: 'Agents',
  what: 'Answer: times in a row that a newer message makes it obsolete',
  beyond: 'the agent hands over',
});

const NOTHING_READ: AnswerWork = { ...startNotes(), passages: [], cost: null, latency_ms: 0 };

/** A turn that an agent takes. */
interface Work {
  kit: Kit;
  acting: Acting;
  agent: Agent;
  turn: ClaimedTurn;
}

/** Takes a turn to its end. Throws when the answer could not be found, also when `signal` ends the search; then nothing was sent. */
export async function takeTurn(kit: Kit, turn: ClaimedTurn, signal: AbortSignal): Promise<void> {
  const read = kit.database.read(turn.company);
  const place = await findTurnPlace(read, turn._id);
  // A conversation that is gone has taken its turn along.
  if (!place) return;
  const agent = place.agent === null || !place.is_open ? null : await findAgent(read, place.agent);
  if (!agent) return dropTurn(kit, turn);
  const work = openWork(kit, turn, agent);
  if (agent.status === 'INACTIVE') return handOver(work, 'AGENT_INACTIVE');
  if (turn.overtaken >= MOST_OVERTAKEN) return handOver(work, 'BUDGET_SPENT');
  if (await isProgram(read, { conversation: turn._id, contact: place.contact }))
    return handOver(work, 'AUTOMATED_CONTACT');
  if (await hasAnsweredEnough(work, agent.handoff)) return handOver(work, 'MAX_TURNS');
  const question = await readQuestion(read, turn._id, { first: turn.first_message, place });
  const { acting } = work;
  const [conversation = null] = await readConversations(read, [turn._id]);
  const answer = await findAnswer({ kit, acting, agent, conversation }, { question, signal });
  if (answer.text === null) return handOver(work, answer.reason ?? 'NO_ANSWER', answer.work);
  await sendAnswer(work, { ...answer, text: answer.text });
}

async function hasAnsweredEnough({ acting, agent, turn }: Work, { enabled, max_turns }: Handoff): Promise<boolean> {
  if (!enabled) return false;
  const asked = { conversation: turn._id, agent: agent._id, limit: max_turns };
  return (await countAnswers(acting.read, asked)) >= max_turns;
}

/** Hands a conversation over whose turn could not be taken to its end. Nothing is sent, because that may be what has failed. */
export async function giveUpTurn(kit: Kit, turn: ClaimedTurn): Promise<void> {
  const read = kit.database.read(turn.company);
  const agent = await findAgent(read, (await findTurnPlace(read, turn._id))?.agent ?? '');
  if (!agent) return dropTurn(kit, turn);
  await handOver(openWork(kit, turn, { ...agent, handoff_message: null }), 'ANSWER_FAILED');
}

/** Looks after an answer whose worker has died while it sent it. A person takes over unless the answer has arrived at the network. */
export async function settleLeft(
  kit: Kit,
  { company, _id, conversation, outcome, message, file_message, agent, name }: UnsettledTurn,
): Promise<void> {
  if (outcome === 'HANDED_OVER')
    return settle(kit, actFor(kit, company, { _id: agent, name }), { _id, conversation, reason: null });
  const acting = actFor(kit, company, { _id: agent, name });
  const sent = await readMessages(
    acting.read,
    [message, file_message].filter((id) => id !== null),
  );
  await settle(kit, acting, { _id, conversation, reason: findFault(sent) });
}

interface Settled {
  /** The turn in the log. */
  _id: string;
  conversation: string;
  /** Why a person has to take over; null when no one has to. */
  reason: HandoffReason | null;
}

async function settle(kit: Kit, acting: Acting, { _id, conversation, reason }: Settled): Promise<void> {
  await acting.tx(async (tx) => {
    if (reason) await passToPerson(kit, tx, acting, conversation);
    await settleTurn(tx, _id, reason);
  });
}

const openWork = (kit: Kit, turn: ClaimedTurn, agent: Agent): Work => ({
  kit,
  acting: actFor(kit, turn.company, agent),
  agent,
  turn,
});

const actFor = (kit: Kit, company: string, { _id: id, name }: Pick<Agent, '_id' | 'name'>): Acting =>
  actAs(kit.database, company, { type: 'agent', id, name });

const dropTurn = (kit: Kit, turn: ClaimedTurn): Promise<void> =>
  kit.database.tenantTx(turn.company, async (tx) => {
    if (await lockTurn(tx, turn)) await deleteTurn(tx, turn._id);
  });

/**
 * Ends the turn in the caller's transaction. Returns null when this agent must not answer any more: a later message has come, a person
 * handles the conversation, it was closed, or it has another agent, who gets the turn then.
 */
async function endTurn(tx: TenantTx, { agent, turn }: Work): Promise<TurnPlace | null> {
  const place = await lockTurn(tx, turn);
  if (!place) return null;
  const isPassed = place.is_open && place.agent !== null && place.agent !== agent._id;
  await (isPassed ? passTurn(tx, turn._id) : deleteTurn(tx, turn._id));
  return place.is_open && place.agent === agent._id ? place : null;
}

async function handOver(work: Work, reason: HandoffReason, found: AnswerWork = NOTHING_READ): Promise<void> {
  const { kit, acting, turn } = work;
  const { _id, ...named } = nameTurn(work);
  const told = await acting.tx(async (tx) => {
    const place = await endTurn(tx, work);
    if (!place) return null;
    const stored = place.takes_text && reason !== 'AGENT_INACTIVE' ? await storeWord(work, tx) : null;
    await passToPerson(kit, tx, acting, turn._id);
    const sent = { message: stored?.message._id ?? null, file_message: null };
    const end = { outcome: 'HANDED_OVER', reason, ...sent, settle_seconds: stored && SETTLE_SECONDS } as const;
    await insertTurn(tx, { _id, ...named, ...end, work: found });
    return stored;
  });
  if (!told) return;
  await callForStored(kit, acting, told);
  await settle(kit, acting, { _id, conversation: turn._id, reason: null });
}

/** Stores what the agent tells a contact to whom a person will answer; null for nothing. */
async function storeWord({ kit, acting, agent, turn }: Work, tx: TenantTx): Promise<StoredOutgoing | null> {
  const { handoff_message: content } = agent;
  if (content === null) return null;
  return storeOutgoing(kit, tx, acting, {
    conversation: turn._id,
    content: { contentType: 'TEXT', content },
    attachment: null,
    replyTo: null,
    keepsWaiting: true,
  });
}

const nameTurn = ({ agent, turn }: Work) => ({
  _id: newId(),
  agent: agent._id,
  conversation: turn._id,
  asked: turn.message,
});

/** Makes a person handle the conversation, unless one does already. */
async function passToPerson(kit: Kit, tx: TenantTx, acting: Acting, conversation: string): Promise<void> {
  await changeConversationById(kit, tx, acting, {
    id: conversation,
    step: undefined,
    makeInput: ({ handled_by }) => (handled_by === 'AI' ? { handled_by: 'HUMAN' } : {}),
  });
}

async function sendAnswer(work: Work, answer: Answer & { text: string }): Promise<void> {
  const { kit, acting, turn } = work;
  const file = answer.plan.file && (await prepareFile(work, answer.plan.file));
  const sent = await acting.tx(async (tx) => {
    await lockPlanned(tx, answer.plan);
    if (!(await endTurn(tx, work))) return null;
    await applyPlan(kit, tx, acting, { conversation: turn._id, plan: answer.plan });
    const text: Outgoing = {
      conversation: turn._id,
      content: { contentType: 'TEXT', content: answer.text },
      attachment: null,
      replyTo: null,
    };
    const stored = [await storeOutgoing(kit, tx, acting, text)];
    if (file) stored.push(await storeOutgoing(kit, tx, acting, file));
    const [message = null, file_message = null] = stored.map((each) => each.message._id);
    const named = nameTurn(work);
    const end = { outcome: 'ANSWERED', reason: null, message, file_message, settle_seconds: SETTLE_SECONDS } as const;
    await insertTurn(tx, { ...named, ...end, work: answer.work });
    const { followUp: chosen } = answer.plan;
    await scheduleFollowUp(tx, { agent: work.agent, conversation: turn._id, index: 0, chosen });
    return { _id: named._id, stored };
  });
  if (!sent) return;
  const messages: Message[] = [];
  for (const stored of sent.stored) messages.push(await callForStored(kit, acting, stored));
  await settle(kit, acting, { _id: sent._id, conversation: turn._id, reason: findFault(messages) });
}

/** Converts the file that goes with an answer, if the channel does not take it as it is. */
async function prepareFile(
  { kit, acting, turn }: Work,
  { attachment: id, contentType }: PlannedFile,
): Promise<Outgoing> {
  const attachment = await expectAttachment(acting.read, id, 'file');
  const file = { conversation: turn._id, content: { contentType }, attachment, replyTo: null };
  return { ...file, attachment: await convertForChannel(kit, acting, file) };
}

/** Returns why a person has to look after messages that were sent. */
function findFault(messages: Pick<Message, 'status'>[]): HandoffReason | null {
  if (messages.some(({ status }) => status === 'FAILED')) return 'SEND_FAILED';
  return messages.some(({ status }) => status === 'QUEUED') ? 'OUTCOME_UNKNOWN' : null;
}
