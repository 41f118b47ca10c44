import { Type, type Static } from 'typebox';
import { define, nullable, recordId, Timestamp, plain } from '../../../platform/values/schema.ts';
import { Inbox } from '../../inboxes/schemas.ts';
import { Cause } from '../schemas.ts';
import { declareLimit } from '../../../platform/values/limits.ts';

/** The most messages that are counted by cause, so that the answer costs the same when a million have failed. */
export const MOST_COUNTED = declareLimit(10_000, {
  topic: 'Messages',
  what: 'Health of an inbox: failed messages counted by cause',
  beyond: 'only the newest ones',
});

/** The most elements that could not be read that are shown. */
export const MOST_UNREADABLE = declareLimit(20, {
  topic: 'Messages',
  what: 'Health of an inbox: unreadable messages',
  beyond: 'only the newest ones',
});

const { status, connection, standing } = Inbox.properties;

export const InboxHealth = define(
  'InboxHealth',
  Type.Object({
    _id: recordId('inbox'),
    status,
    connection,
    standing,
    last_inbound_at: nullable({ ...Timestamp, description: 'When the last message of a contact was written' }),
    last_outbound_at: nullable({
      ...Timestamp,
      description:
        'When the network accepted the last message to a contact, whether it was written by a user or automatically',
    }),
    daily_limit: nullable(
      plain.object(
        'How many people the business can write to first in 24 hours; null on networks without such a limit',
        {
          people: nullable(plain.integer('null for no limit, and until the network has reported it')),
          is_unlimited: plain.flag('Whether the network has reported that there is no limit'),
          used: plain.integer(
            'The people who were sent templates in the last 24 hours through this platform, from all numbers of the business',
          ),
        },
      ),
    ),
    failures: plain.object('The messages that failed in the last 24 hours', {
      since: Timestamp,
      count: plain.integer('The number of failed messages, for all causes'),
      is_complete: plain.flag(`false if more failed than the newest ${MOST_COUNTED} that are counted`),
      causes: Type.Array(
        Type.Object({
          code: Cause.properties.code,
          title: plain.text("The text of the newest message with this cause, in the network's language"),
          count: plain.integer('The number of messages that failed with this cause'),
          last_at: Timestamp,
        }),
        { description: 'Most frequent first' },
      ),
    }),
    unreadable: Type.Array(
      Type.Object({
        reason: plain.text('Why the platform could not read it'),
        at: Timestamp,
      }),
      {
        description: `What arrived in the last seven days but could not be read as a message, such as a mail without a sender: the newest ${MOST_UNREADABLE}`,
      },
    ),
  }),
);
export type InboxHealth = Static<typeof InboxHealth>;
