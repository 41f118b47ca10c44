/** The statements that divide the messages of any company into parts for the search; sql/messages.sql has the functions. */
import { oneValue } from '../../platform/store/db.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';

/** An SQL expression: whether messages have to move into parts. */
export const HAS_UNDIVIDED = 'exists (select from message_parts where is_filling)';

// The companies that one statement looks at. Each costs at most some milliseconds.
const COMPANIES = 50;

/** Checks the next companies for messages that should be in a part. Returns the last company that was checked; null when there are no more. */
export function findUndivided(tx: SystemTx, after: string | null): Promise<string | null> {
  return oneValue(tx, {
    name: 'messages.findUndivided',
    text: `select max(_id) as last, find_undivided_messages(array_agg(_id)) from (
        select _id from companies where _id > coalesce($1, '') order by _id limit $2) next`,
    values: [after, COMPANIES],
  });
}

/** Moves some messages into a part. Returns how many. */
export function movePortion(tx: SystemTx): Promise<number> {
  return oneValue(tx, { name: 'messages.fillPart', text: 'select fill_message_part() as moved', values: [] });
}
