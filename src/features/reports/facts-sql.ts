/** The part of statements that says for which records a fact counts. The worker adds it to their counters; readers add what still waits. */

/** The kinds whose durations are counted by classes as well, under this name with the ending. */
const TIMED = `('CLOSED', 'FIRST_REPLY', 'REPLIED')`;
export const TIMES = '_TIMES';

/** Selects a row for each counter that the rows of `facts`, a table or a part of the statement, change. */
export const spreadFacts = (
  facts: string,
): string => `select f.company_id, f.at, d.dimension, d.subject, k.kind, f.currency, k.bucket,
    f.count, k.total
  from ${facts} f
  cross join lateral (
    select 'ALL' as dimension, '' collate "C" as subject
    union all select 'INBOX', f.inbox_id
    union all select 'TEAM', f.team_id where f.team_id is not null
    union all select 'USER', f.user_id where f.user_id is not null
    union all select 'AGENT', f.agent_id where f.agent_id is not null
    union all select 'CAMPAIGN', f.campaign_id where f.campaign_id is not null
    union all select 'TAG', tag from unnest(f.tags) tag
  ) d
  cross join lateral (
    select f.kind, -1 as bucket, f.total
    union all select f.kind || '${TIMES}', report_bucket(f.total), 0 where f.kind in ${TIMED}
  ) k`;
