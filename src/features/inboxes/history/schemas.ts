/** The schemas of the history of a phone that the Business app shares. */
import { nullable, oneOf, plain, Timestamp } from '../../../platform/values/schema.ts';

const HISTORY_STATES = ['REQUESTED', 'RECEIVING', 'COMPLETE', 'DECLINED', 'NONE', 'FAILED'] as const;

export const InboxHistory = plain.object(
  'Whether the old messages of the phone are coming, once the number is also used in the Business app; null until then, and if it was so ' +
    'before the platform asked for them',
  {
    status: oneOf(
      HISTORY_STATES,
      'REQUESTED: nothing has come yet · RECEIVING: `progress` says how much has come · COMPLETE: the network has sent everything · ' +
        'DECLINED: the business did not share them · NONE: nothing came within 24 hours · FAILED: the network rejected the request, or ' +
        'could not send them',
    ),
    progress: plain.integer('How much the network has sent, in percent'),
    error: nullable(plain.text("Why it failed, with the network's error text")),
    requested_at: nullable(Timestamp),
    updated_at: Timestamp,
  },
);
