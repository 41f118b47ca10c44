/** The targets of a conversation in its record. */

/** The targets of the policy that applies to `v`; null without one. */
export const SLA = `(select json_build_object('policy', s.policy_id, 'first_reply_due_at', history_time(s.first_reply_due_at),
      'next_reply_due_at', history_time(s.next_reply_due_at), 'close_due_at', history_time(s.close_due_at),
      'due_at', history_time(s.due_at), 'breached_at', history_time(s.breached_at))
    from conversation_slas s join sla_policies p on p.company_id = s.company_id and p._id = s.policy_id
    where s.company_id = v.company_id and s.conversation_id = v._id)`;
