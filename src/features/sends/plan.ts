/** Decides for each due row whether its message is sent, and fills the message in. It changes nothing. */
import type { Identity } from '../../channels/identity.ts';
import type { FilledTemplate } from '../../channels/templates/compose.ts';
import { findRefusal, nameKey } from '../admission/admission.ts';
import type { Candidate, Planner, Refused } from './source.ts';

/** A row that gets its message. */
export interface PlannedSend<C> {
  row: C;
  to: Identity;
  filled: FilledTemplate;
}

export interface Plan<C> {
  sends: PlannedSend<C>[];
  refused: Refused<C>[];
}

export function planCandidates<C extends Candidate>(planner: Planner<C>, candidates: readonly C[]): Plan<C> {
  const plan: Plan<C> = { sends: [], refused: [] };
  for (const row of candidates) {
    const { to } = row;
    const refusal = planner.findRefusal(row) ?? findRefusal({ ...row, name: to && nameKey(to) }, planner.asking(row));
    const filled = refusal ?? readStored(row) ?? planner.fill(row);
    if (refusal) plan.refused.push({ row, ...refusal, isUnfilled: false });
    else if ('code' in filled) plan.refused.push({ row, ...filled, isUnfilled: true });
    else if (to) plan.sends.push({ row, to, filled });
  }
  return plan;
}

/** A message that waits to be sent again stays as it is. */
const readStored = ({ message, content, template }: Candidate): FilledTemplate | null =>
  message === null || !template ? null : { content: content ?? '', components: template.components };
