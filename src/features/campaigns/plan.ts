/** Decides for each due enrollment whether its message is sent, and fills the message in. It changes nothing. */
import type { Identity } from '../../channels/identity.ts';
import type { FilledTemplate } from '../../channels/templates/compose.ts';
import { fillForRecipient, isUnfilled, type UnfilledTemplate } from '../../channels/templates/for-recipient.ts';
import { isNamedIn } from '../inboxes/test-people.ts';
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

export function planCandidates({ campaign, sender, steps }: Run, candidates: Candidate[]): Plan {
  const plan: Plan = { sends: [], skipped: [] };
  for (const candidate of candidates) {
    const step = steps.get(candidate.step);
    if (!step) throw new Error('a step was not opened');
    const { to } = candidate;
    const reason = findSkipReason({ campaign, sender }, step, { candidate, to });
    const { _id: enrollment, message } = candidate;
    const filled = reason ?? fill(candidate, step, sender.inbox.time_zone);
    if (typeof filled === 'string') plan.skipped.push({ enrollment, message, reason: filled, words: null });
    else if (isUnfilled(filled)) plan.skipped.push({ enrollment, message, reason: filled.code, words: filled.message });
    else if (to) plan.sends.push({ candidate, to, filled });
  }
  return plan;
}

/** The order is that of the preview. */
function findSkipReason(
  { campaign, sender: { inbox, channel } }: Pick<Run, 'campaign' | 'sender'>,
  { undeliveredIn }: OpenStep,
  { candidate, to }: { candidate: Candidate; to: Identity | null },
): Skipped['reason'] | null {
  if (candidate.has_replied && campaign.options.stop_on_reply) return 'REPLIED';
  const { blocked, opted_out, conversation, enrollment, country_code, is_resting } = candidate;
  if (blocked) return 'BLOCKED';
  if (opted_out) return 'OPTED_OUT';
  if (!to) return 'INVALID_NUMBER';
  const { enabled, test_numbers } = inbox.test_mode;
  if (enabled && !isNamedIn(channel, test_numbers, [to])) return 'NOT_TEST_NUMBER';
  const isStranger = conversation !== null && enrollment !== candidate._id && candidate.step === 0;
  if (isStranger && !campaign.options.send_to_active_conversations) return 'ACTIVE_CONVERSATION';
  const isUndelivered = country_code !== null && undeliveredIn.includes(country_code);
  return isUndelivered || is_resting ? 'NOT_DELIVERABLE' : null;
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
