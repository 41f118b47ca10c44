/** Statements of campaigns that write into conversations. */
import { exec, many } from '../../platform/store/db.ts';
import type { TenantTx } from '../../platform/store/tenant.ts';

/** Names the campaign in conversations, which the transaction has locked. Those in which the contact has never written await a reply. */
export function setCampaignMarks(
  tx: TenantTx,
  campaign: string,
  marks: { conversation: string; enrollment: string }[],
): Promise<number> {
  return exec(tx, {
    name: 'conversations.setCampaignMarks',
    text: `update conversations v set campaign_id = $2, enrollment_id = n.enrollment,
        awaits_reply = v.last_inbound_at is null, updated_at = now()
      from unnest($3::text[], $4::text[]) as n (conversation, enrollment) where v.company_id = $1 and v._id = n.conversation`,
    values: [
      tx.companyId,
      campaign,
      marks.map(({ conversation }) => conversation),
      marks.map(({ enrollment }) => enrollment),
    ],
  });
}

interface Move {
  conversation: string;
  step: { _id: string; pipeline: string };
}

/** Moves conversations to steps of pipelines, and returns them with the step that each had before. */
export function setSteps(
  tx: TenantTx,
  moves: Move[],
): Promise<{ _id: string; contact: string; step: string | null }[]> {
  return many(tx, {
    name: 'conversations.setSteps',
    text: `with n as (
        select * from unnest($2::text[], $3::text[], $4::text[]) as n (conversation, step, pipeline)
      ), before as materialized (
        select v._id, v.contact_id, v.step_id from n join conversations v on v.company_id = $1 and v._id = n.conversation
        order by v._id for no key update of v
      ), moved as (
        update conversations v set step_id = n.step, pipeline_id = n.pipeline, updated_at = now()
        from n join before b on b._id = n.conversation
        where v.company_id = $1 and v._id = b._id and b.step_id is distinct from n.step
      )
      select _id, contact_id as contact, step_id as step from before`,
    values: [
      tx.companyId,
      moves.map(({ conversation }) => conversation),
      moves.map(({ step }) => step._id),
      moves.map(({ step }) => step.pipeline),
    ],
  });
}
