/** Decides for each due enrollment whether its message is sent, and fills the message in. It changes nothing. */
import type { Identity } from '../../channels/identity.ts';
import type { FilledTemplate } from '../../channels/templates/compose.ts';
import { fillForRecipient, isUnfilled, type UnfilledTemplate } from '../../channels/templates/for-recipient.ts';
import { findRefusal, nameKey } from '../sends/admission.ts';
import type { Candidate, Skipped } from './portion-queries.ts';
import type { OpenStep, Run } from './run.ts';

export interface PlannedSend {
  candidate: Candidate;
  to: Identity;
  filled: FilledTemplate;
}

export interface Plan {
  sends: PlannedSend[];
  skipped: Skipped[];
}

export function planCandidates({ campaign: { options }, sender, steps }: Run, candidates: Candidate[]): Plan {
  const plan: Plan = { sends: [], skipped: [] };
  for (const candidate of candidates) {
    const step = steps.get(candidate.step);
    if (!step) throw new Error('a step was not opened');
    const { to } = candidate;
    const reason = findSkipReason(options, step, candidate);
    const { _id: enrollment, message } = candidate;
    const filled = reason ?? fill(candidate, step, sender.inbox.time_zone);
    if (typeof filled === 'string') plan.skipped.push({ enrollment, message, reason: filled, words: null });
    else if (isUnfilled(filled)) plan.skipped.push({ enrollment, message, reason: filled.code, words: filled.message });
    else if (to) plan.sends.push({ candidate, to, filled });
  }
  return plan;
}

function findSkipReason(
  { stop_on_reply }: Run['campaign']['options'],
  { asking }: OpenStep,
  candidate: Candidate,
): Skipped['reason'] | null {
  if (candidate.has_replied && stop_on_reply) return 'REPLIED';
  const { to } = candidate;
  return findRefusal({ ...candidate, name: to && nameKey(to) }, asking)?.code ?? null;
}

/** Returns the message with the values of the enrolment, or why it cannot be filled in. */
function fill(
  { message, content, template, recipient }: Candidate,
  step: OpenStep,
  timeZone: string | null,
): FilledTemplate | UnfilledTemplate {
  if (message !== null && template) return { content: content ?? '', components: template.components };
  return fillForRecipient({ ...step, timeZone }, { contact: recipient, columns: recipient?.columns ?? {} });
}
