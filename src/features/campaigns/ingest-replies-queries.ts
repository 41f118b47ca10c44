/** Notes in enrollments that their contacts have replied. One statement handles a whole batch, across companies. */
import { exec } from '../../platform/store/db.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';

/** A message of a contact in a conversation that a campaign has written into. */
export interface CampaignReply {
  company: string;
  enrollment: string;
  /** When the contact wrote it, by the clock of the network. */
  at: string;
}

/**
 * The first message of the contact after the call to the network is the reply. The network's clock counts whole seconds. A contact who has
 * replied gets no further step, unless the campaign goes on. A message that waits to be sent again is left to the campaign's worker.
 */
export function noteReplies(tx: SystemTx, replies: CampaignReply[]): Promise<number> {
  return exec(tx, {
    name: 'campaigns.noteReplies',
    text: `with n as (
        select company_id, enrollment_id, min(at) as at from unnest($1::text[], $2::text[], $3::timestamptz[]) as r (company_id, enrollment_id, at)
        group by 1, 2
      ), locked as (
        select e.company_id, e._id, n.at, (c.options ->> 'stop_on_reply')::boolean as stops,
          e.next_run_at is not null and exists (select from campaign_sends s
            where s.company_id = e.company_id and s.enrollment_id = e._id and s.step = e.current_step) as waits
        from n join campaign_enrollments e on e.company_id = n.company_id and e._id = n.enrollment_id
          join campaigns c on c.company_id = e.company_id and c._id = e.campaign_id
        where e.replied_at is null and e.called_at is not null and n.at >= date_trunc('second', e.called_at) and e.status <> 'CANCELLED'
        order by e.company_id, e._id for no key update of e
      ), replied as (
        update campaign_enrollments e set replied_at = l.at, status = 'REPLIED', updated_at = now(),
          next_run_at = case when l.stops and not l.waits then null else e.next_run_at end,
          completed_at = case when l.stops and not l.waits then coalesce(e.completed_at, now()) else e.completed_at end
        from locked l where e.company_id = l.company_id and e._id = l._id
        returning e.company_id, e._id, e.message_id, e.replied_at
      )
      update campaign_sends s set replied_at = r.replied_at from replied r
      where s.company_id = r.company_id and s.enrollment_id = r._id and s.message_id = r.message_id`,
    values: [
      replies.map(({ company }) => company),
      replies.map(({ enrollment }) => enrollment),
      replies.map(({ at }) => at),
    ],
  });
}
