import { Type, type Static } from 'typebox';
import { pageQuery, pageSchema } from '../../../platform/store/paging.ts';
import { NAMED_ACTORS } from '../../../platform/values/actor.ts';
import { define, nullable, oneOf, plain, recordId, ref, Timestamp } from '../../../platform/values/schema.ts';

const HISTORY_FIELDS = [
  'status',
  'snoozed_until',
  'priority',
  'owner',
  'attendant',
  'team',
  'handled_by',
  'agent',
  'step',
  'tag',
  'merged',
] as const;
const historyName = nullable(plain.text('The name of that user, team, agent or step at that time'));

export const HistoryEntry = define(
  'HistoryEntry',
  Type.Object({
    _id: recordId('history-entry'),
    company: recordId('company'),
    conversation: recordId('conversation'),
    actor: Type.Unsafe<{ type: (typeof NAMED_ACTORS)[number]; _id: string; name: string } | null>({
      ...nullable(
        Type.Object({
          type: oneOf(NAMED_ACTORS, 'The kind of actor: a user, a key, an agent, a campaign, a follow-up or a rule'),
          _id: recordId(['user', 'api-key', 'agent', 'campaign', 'follow-up', 'rule']),
          name: plain.text('Its name at that time'),
        }),
      ),
      description: 'Who made the change; null for the platform itself, for example when a snooze ends',
    }),
    changes: Type.Array(
      Type.Object({
        field: oneOf(
          HISTORY_FIELDS,
          'The field. Each tag that was added or removed is a change of its own. merged: the conversation `from` was merged into this one',
        ),
        from: nullable(plain.text('The value before; null for none, and for a tag that was added')),
        to: nullable(plain.text('The new value; null for none, and for a tag that was removed')),
        from_name: historyName,
        to_name: historyName,
      }),
      { description: 'The changes that were made together' },
    ),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
);
export type HistoryEntry = Static<typeof HistoryEntry>;

export const HistoryList = pageSchema(ref(HistoryEntry));
export const HistoryQuery = pageQuery('-createdAt', {});
export type HistoryQuery = Static<typeof HistoryQuery>;
