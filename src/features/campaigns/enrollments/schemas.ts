import { Type, type Static } from 'typebox';
import { pageQuery, pageSchema } from '../../../platform/store/paging.ts';
import { define, nullable, oneOf, recordId, ref, strict, Timestamp, plain } from '../../../platform/values/schema.ts';
import { causeCode } from '../../messages/schemas.ts';
import { SKIP_REASONS, STATUSES } from '../schemas.ts';

const ENROLLMENT_STATUSES = [
  'PENDING',
  'SENT',
  'DELIVERED',
  'READ',
  'REPLIED',
  'COMPLETED',
  'FAILED',
  'SKIPPED',
  'CANCELLED',
] as const;

export const Enrollment = define(
  'CampaignEnrollment',
  Type.Object({
    _id: recordId('enrollment'),
    company: recordId('company'),
    campaign: recordId('campaign'),
    contact: nullable(recordId('contact', 'Null after the contact was erased')),
    conversation: nullable(recordId('conversation')),
    status: oneOf(
      ENROLLMENT_STATUSES,
      "The contact's state. PENDING: no message has been accepted yet, or the outcome is unknown. COMPLETED: " +
        'the last step of the sequence was accepted. FAILED: the last message failed',
    ),
    current_step: plain.integer('The index of the step that is sent next, or that was sent last'),
    next_run_at: nullable(
      Type.String({ ...Timestamp, description: 'When the current step is due; null if none is waiting' }),
    ),
    message: nullable(recordId('message', 'The last message')),
    skip_reason: nullable(oneOf(SKIP_REASONS, 'Why the contact was skipped')),
    failure_reason: nullable(
      plain.object(
        'Why the last message failed, or could not be filled in: the variable, and the value that does not fit',
        {
          code: causeCode,
          message: plain.text('What happened, in a sentence for people'),
        },
      ),
    ),
    sent_at: nullable(Timestamp),
    delivered_at: nullable(Timestamp),
    read_at: nullable(Timestamp),
    replied_at: nullable(Timestamp),
    failed_at: nullable(Timestamp),
    completed_at: nullable(Type.String({ ...Timestamp, description: 'Since when the contact gets no more messages' })),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
);
export type Enrollment = Static<typeof Enrollment>;

export const EnrollmentParams = Type.Object({ id: recordId('enrollment') });
export const EnrollmentList = pageSchema(ref(Enrollment));
export const EnrollmentQuery = pageQuery('-createdAt', {
  campaign: Type.Optional(recordId('campaign')),
  contact: Type.Optional(recordId('contact')),
  status: Type.Optional(oneOf(ENROLLMENT_STATUSES, 'Only records with this status')),
});
export type EnrollmentQuery = Static<typeof EnrollmentQuery>;

export const CampaignExportQuery = strict(
  {
    content: Type.Optional(
      oneOf(
        ['ENROLLMENTS', 'ANALYTICS'],
        'ENROLLMENTS: one line per contact, newest first. ANALYTICS: one line per counter: group, item, counter, count',
      ),
    ),
  },
  { required: [] },
);
export type CampaignExportQuery = Static<typeof CampaignExportQuery>;

const counted = {
  sent: plain.integer('Accepted by the network'),
  delivered: plain.integer('Delivered, or read'),
  read: plain.integer('Read'),
  replied: plain.integer('Contacts who replied after the message'),
  failed: plain.integer('Failed'),
};
const rate = (words: string) => Type.Number({ minimum: 0, maximum: 1, description: words });

export const CampaignAnalytics = define(
  'CampaignAnalytics',
  Type.Object({
    campaign: recordId('campaign'),
    status: oneOf(STATUSES, 'The status of the campaign'),
    total_contacts: plain.integer('The enrolled contacts'),
    pending: plain.integer('Contacts without an accepted message yet'),
    unknown: plain.integer(
      'Of these, the ones whose message may have arrived: the network was called, but its answer is missing. ' +
        'Messages are never sent twice; after a day without a status, they count as failed',
    ),
    ...counted,
    skipped: plain.integer('Contacts who got nothing, for the reasons in skip_reasons'),
    cancelled: plain.integer('Contacts who got nothing because the campaign or their enrollment was cancelled'),
    delivery_rate: rate('delivered / sent'),
    read_rate: rate('read / sent'),
    reply_rate: rate('replied / sent'),
    failure_rate: rate('failed / sent; 1 if more failed than were accepted'),
    skip_reasons: Type.Array(
      Type.Object({
        reason: plain.text('The reason'),
        count: plain.integer('The contacts skipped for this reason'),
      }),
      { description: 'How many contacts were skipped, by reason' },
    ),
    failures: Type.Array(
      Type.Object({
        code: causeCode,
        message: plain.text('The cause in words'),
        count: plain.integer('The messages that failed for this cause'),
      }),
      { description: 'Why messages failed, the most frequent cause first' },
    ),
    steps: Type.Array(Type.Object({ index: plain.integer('The position of the step, from 0'), ...counted }), {
      description: 'The messages of each step',
    }),
    series: Type.Array(
      Type.Object({ hour: Type.String({ ...Timestamp, description: 'The start of the hour' }), ...counted }),
      {
        description: 'The counters of each hour; hours without activity are left out',
      },
    ),
    generated_at: Timestamp,
  }),
);
export type CampaignAnalytics = Static<typeof CampaignAnalytics>;
