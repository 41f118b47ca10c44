/** Stores the network's answers to the messages of a campaign. What becomes of a message becomes of its enrollment by a trigger of the database. */
import type { NetworkError } from '../../channels/channel.ts';
import type { Kit } from '../../kit.ts';
import type { TenantTx } from '../../platform/store/tenant.ts';
import { moveByCampaign, type CampaignMove } from '../conversations/campaign-marks.ts';
import { keepStepFromRemoval } from '../pipelines/steps.ts';
import { createAnswerBatches, type AnswerBatches } from '../bulk/answer-batches.ts';
import { holdOverloaded } from '../bulk/sender.ts';
import { returnPlaces, type Reached } from '../inboxes/portfolio.ts';
import { failUnsent, holdUnsent, settle, type Answered } from '../messages/settle.ts';
import { keepState, sendLater } from './portion-queries.ts';
import type { CallOutcome, PlannedCall, Run } from './run.ts';

// After how long a message is tried again that the network has refused because of a rate limit. The number or the pair pauses meanwhile.
const RETRY_SECONDS = 5;

/** Says why a message of a campaign is not sent any more. */
export const notSent = (message: string): NetworkError => ({
  code: 'CAMPAIGN_CANCELLED',
  title: 'Not sent',
  message,
  details: '',
});

export const NOT_SENT = notSent('The campaign or this enrollment was cancelled');

export const createOutcomes = (kit: Kit, run: Run): AnswerBatches<CallOutcome> =>
  createAnswerBatches(kit.log, `campaign ${run.campaign._id}`, (outcomes) =>
    run.acting.tx((tx) => storeOutcomes(kit, tx, run, outcomes)),
  );

/** Messages come first and enrollments after them, as everywhere, so that two transactions never wait for each other. */
async function storeOutcomes(kit: Kit, tx: TenantTx, run: Run, outcomes: CallOutcome[]): Promise<void> {
  const { sender, campaign } = run;
  const isOver = await keepState(tx, campaign._id);
  const { channel, inbox, credentials, portfolio, lane } = sender;
  const settled = outcomes.filter(({ again }) => again === null);
  const answers = settled.flatMap(({ call, result }): Answered[] =>
    result.outcome === 'unknown' ? [] : [{ message: call.message, result, place: toPlace(call) }],
  );
  await moveInFunnel(
    tx,
    run,
    settled.filter(({ result }) => result.outcome !== 'rejected'),
  );
  const { free } = await settle(kit, tx, { channel, inbox: inbox._id, credentials }, answers);
  await sendAgain(tx, outcomes, { isOver, lastStep: campaign.steps.length - 1 });
  await returnPlaces(tx, portfolio, free);
  await holdOverloaded(
    tx,
    lane,
    outcomes.map(({ call, again }) => ({ again, person: call.to.value })),
  );
}

const toPlace = ({ to, reached_at, reached_before }: PlannedCall): Reached => ({
  person: to.value,
  reached_at,
  reached_before,
});

/**
 * Moves conversations to the pipeline steps of their messages. What the network has refused moves nothing; a message whose outcome is unknown
 * may have arrived. A step that was removed meanwhile is left out.
 */
async function moveInFunnel(tx: TenantTx, { acting, campaign }: Run, outcomes: CallOutcome[]): Promise<void> {
  const targets = outcomes.flatMap(({ call: { conversation, step } }) => {
    const id = campaign.steps[step]?.funnel_step ?? null;
    return id === null ? [] : [{ conversation, id }];
  });
  const steps = new Map<string, CampaignMove['step']>();
  for (const id of [...new Set(targets.map((target) => target.id))].toSorted((a, b) => (a < b ? -1 : 1))) {
    const step = await keepStepFromRemoval(tx, id);
    if (step) steps.set(id, step);
  }
  const moves = targets.flatMap(({ conversation, id }): CampaignMove[] => {
    const step = steps.get(id);
    return step ? [{ conversation, step }] : [];
  });
  await moveByCampaign(tx, acting, moves);
}

/** Lets messages wait that are sent again. What is not sent any more fails: whoever has cancelled it has cancelled only what waited then. */
async function sendAgain(
  tx: TenantTx,
  outcomes: CallOutcome[],
  { isOver, lastStep }: { isOver: boolean; lastStep: number },
): Promise<void> {
  const again = outcomes.filter((outcome) => outcome.again !== null);
  if (again.length === 0) return;
  await holdUnsent(
    tx,
    again.map(({ call }) => call.message),
  );
  const later = again.map(({ call, again: reason }) => ({
    enrollment: call.enrollment,
    seconds: reason === 'stop' ? 0 : RETRY_SECONDS,
    isRefused: reason !== 'stop',
    isLastStep: call.step === lastStep,
  }));
  const over = new Set(isOver ? later.map(({ enrollment }) => enrollment) : await sendLater(tx, later));
  const unsent = again.filter(({ call }) => over.has(call.enrollment)).map(({ call }) => call.message);
  await failUnsent(tx, unsent, NOT_SENT);
}
