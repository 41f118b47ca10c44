/** A campaign as a source of the sender: each of its enrollments is a row that is due when its next step is. */
import type { NetworkError } from '../../channels/channel.ts';
import { fillForRecipient } from '../../channels/templates/for-recipient.ts';
import type { TenantTx } from '../../platform/store/tenant.ts';
import { moveByCampaign, setCampaignMarks, type CampaignMove } from '../conversations/campaign-marks.ts';
import { failUnsent } from '../messages/settle.ts';
import { keepStepFromRemoval } from '../pipelines/steps.ts';
import type { Call, Outcome, Refused, SendSource, SourceWrites } from '../sends/source.ts';
import {
  holdTurn,
  insertSends,
  keepState,
  listDue,
  lockDue,
  markCalled,
  markSkipped,
  sendLater,
  type CampaignCandidate,
  type Skipped,
} from './portion-queries.ts';
import { findCampaignWork } from './queries.ts';
import { openStep, type OpenStep, type Run } from './run.ts';
import { setPaused } from './state-queries.ts';

// When the daily limit is reached, places become free a minute at a time.
const LIMIT_PAUSE_SECONDS = 600;
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

export function makeSource(run: Run): SendSource<CampaignCandidate> {
  const { kit, acting, campaign, sender, turn } = run;
  const { agent, owner, options } = campaign;
  const own = options.messages_per_minute;
  const stepOf = ({ step }: CampaignCandidate): OpenStep => {
    const open = run.steps.get(step);
    if (!open) throw new Error('a step was not opened');
    return open;
  };
  return {
    kit,
    acting,
    sender,
    ...writeRows(run),
    name: `campaign ${campaign._id}`,
    campaign: campaign._id,
    pace: own === null ? null : { name: `campaign ${campaign._id}`, rate: own / 60 },
    assignment: { agent, owner, attendant: null, keeps: true },
    beyondLimit: (tx) => setPaused(tx, campaign._id, LIMIT_PAUSE, turn.claimed_at),
    asking: (row) => stepOf(row).asking,
    findRefusal: ({ has_replied }) => (has_replied && options.stop_on_reply ? REPLIED : null),
    fill: (row) =>
      fillForRecipient(
        { ...stepOf(row), timeZone: sender.inbox.time_zone },
        { contact: row.recipient, columns: row.recipient?.columns ?? {} },
      ),
    files: (row) => stepOf(row).shown,
    listDue: async (most) => {
      const due = await listDue(acting.read, campaign._id, most);
      for (const index of new Set(due.map(({ step }) => step))) await openStep(run, index);
      return {
        isEmpty: due.length === 0,
        contacts: due.map(({ contact }) => contact),
        messages: due.flatMap(({ message }) => message ?? []),
        lock: (tx) =>
          lockDue(
            tx,
            due.map(({ enrollment }) => enrollment),
            describeSender(run),
          ),
      };
    },
    hold: async (tx) => (await holdTurn(tx, turn)) > 0,
    isOpen: async () => (await findCampaignWork(acting.read, campaign._id))?.status === 'RUNNING',
  };
}

function writeRows(run: Run): SourceWrites<CampaignCandidate> {
  const { campaign } = run;
  return {
    mark: (tx, calls) =>
      setCampaignMarks(
        tx,
        campaign._id,
        calls.map(({ conversation, row: { enrollment } }) => ({ conversation, enrollment })),
      ),
    refuse: async (tx, refused) => {
      await failUnsent(
        tx,
        refused.flatMap(({ row: { message } }) => message ?? []),
        NOT_SENT,
      );
      await markSkipped(tx, refused.map(toSkipped));
    },
    noteCalls: async (tx, calls, fresh) => {
      await insertSends(tx, campaign._id, fresh.map(toSend));
      await markCalled(tx, calls.map(toSend), campaign.steps.length - 1);
    },
    settle: async (tx, outcomes, settleMessages) => {
      const isOver = await keepState(tx, campaign._id);
      await moveInFunnel(tx, run, outcomes);
      await sendAgain(tx, await settleMessages(), { isOver, lastStep: campaign.steps.length - 1 });
    },
  };
}

const LIMIT_PAUSE = { reason: 'NETWORK_LIMIT', resumeSeconds: LIMIT_PAUSE_SECONDS } as const;

const REPLIED = { code: 'REPLIED', message: 'The contact has replied' };

/** What decides about a contact for this sender. */
const describeSender = ({ kit, sender: { inbox, channel } }: Run) => ({
  inbox: inbox._id,
  places: kit.channels.identityPlaces[channel.name] ?? {},
  restingCodes: channel.templates?.restingCodes?.map(String) ?? [],
});

const toSkipped = ({ row: { enrollment }, code, message, isUnfilled }: Refused<CampaignCandidate>): Skipped => ({
  enrollment,
  reason: code as Skipped['reason'],
  words: isUnfilled ? message : null,
});

const toSend = ({ row: { enrollment, step }, ...call }: Call<CampaignCandidate>) => ({ ...call, enrollment, step });

/**
 * Moves conversations to the pipeline steps of their messages. What the network has refused moves nothing; a message whose outcome is unknown
 * may have arrived. A step that was removed meanwhile is left out.
 */
async function moveInFunnel(
  tx: TenantTx,
  { acting, campaign }: Run,
  outcomes: Outcome<CampaignCandidate>[],
): Promise<void> {
  const targets = outcomes.flatMap(({ call: { conversation, row }, result }) => {
    const id = campaign.steps[row.step]?.funnel_step ?? null;
    return id === null || result.outcome === 'rejected' ? [] : [{ conversation, id }];
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
  outcomes: Outcome<CampaignCandidate>[],
  { isOver, lastStep }: { isOver: boolean; lastStep: number },
): Promise<void> {
  const again = outcomes.filter((outcome) => outcome.again !== null);
  if (again.length === 0) return;
  const later = again.map(({ call: { row }, again: reason }) => ({
    enrollment: row.enrollment,
    seconds: reason === 'stop' ? 0 : RETRY_SECONDS,
    isRefused: reason !== 'stop',
    isLastStep: row.step === lastStep,
  }));
  const over = new Set(isOver ? later.map(({ enrollment }) => enrollment) : await sendLater(tx, later));
  const unsent = again.filter(({ call }) => over.has(call.row.enrollment)).map(({ call }) => call.message);
  await failUnsent(tx, unsent, NOT_SENT);
}
