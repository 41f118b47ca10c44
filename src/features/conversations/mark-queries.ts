/** Statements that name a campaign in conversations. */
import { many } from '../../platform/store/db.ts';
import type { TenantTx } from '../../platform/store/tenant.ts';

interface Mark {
  conversation: string;
  enrollment: string;
  step: { _id: string; pipeline: string } | null;
}

/** Writes the marks, and returns the conversations with the step that each had before. */
export function setCampaignMarks(
  tx: TenantTx,
  campaign: string,
  marks: Mark[],
): Promise<{ _id: string; contact: string; step: string | null }[]> {
  return many(tx, {
    name: 'conversations.setCampaignMarks',
    text: `with n as (
        select * from unnest($3::text[], $4::text[], $5::text[], $6::text[]) as n (conversation, enrollment, step, pipeline)
      ), before as (
        select v._id, v.contact_id, v.step_id from n join conversations v on v.company_id = $1 and v._id = n.conversation
      ), marked as (
        update conversations v set campaign_id = $2, enrollment_id = n.enrollment,
          awaits_reply = v.last_inbound_at is null, step_id = coalesce(n.step, v.step_id),
          pipeline_id = case when n.step is null then v.pipeline_id else n.pipeline end, updated_at = now()
        from n where v.company_id = $1 and v._id = n.conversation
      )
      select _id, contact_id as contact, step_id as step from before`,
    values: [
      tx.companyId,
      campaign,
      marks.map(({ conversation }) => conversation),
      marks.map(({ enrollment }) => enrollment),
      marks.map(({ step }) => step?._id ?? null),
      marks.map(({ step }) => step?.pipeline ?? null),
    ],
  });
}
