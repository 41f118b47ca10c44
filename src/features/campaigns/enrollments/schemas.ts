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
      'How far the contact is. PENDING: nothing is accepted yet, or the outcome of the message is not known. COMPLETED: the last step of a sequence was accepted. FAILED: the last message has failed',
    ),
    current_step: plain.integer('The index of the step that is sent next, or that was sent last'),
    next_run_at: nullable(
      Type.String({ ...Timestamp, description: 'When the current step is to be sent; null when none waits' }),
    ),
    message: nullable(recordId('message', 'The last message')),
    skip_reason: nullable(oneOf(SKIP_REASONS, 'Why the contact got nothing')),
    failure_reason: nullable(
      plain.object(
        'Why the last message has failed, or could not be filled in: the variable, and the value that does not fit',
        {
          code: causeCode,
          message: plain.text('A sentence for people that says what happened'),
        },
      ),
    ),
    sent_at: nullable(Timestamp),
    delivered_at: nullable(Timestamp),
    read_at: nullable(Timestamp),
    replied_at: nullable(Timestamp),
    failed_at: nullable(Timestamp),
    completed_at: nullable(
      Type.String({ ...Timestamp, description: 'Since when nothing more is sent to the contact' }),
    ),
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
  status: Type.Optional(oneOf(ENROLLMENT_STATUSES, 'Only those in this state')),
});
export type EnrollmentQuery = Static<typeof EnrollmentQuery>;

export const CampaignExportQuery = strict(
  {
    content: Type.Optional(
      oneOf(
        ['ENROLLMENTS', 'ANALYTICS'],
        'ENROLLMENTS: a line for each contact, newest first. ANALYTICS: a line for each counter: group, item, counter, count',
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
  replied: plain.integer('Answered by the contact after the message'),
  failed: plain.integer('Failed'),
};
const rate = (words: string) => Type.Number({ minimum: 0, maximum: 1, description: words });

export const CampaignAnalytics = define(
  'CampaignAnalytics',
  Type.Object({
    campaign: recordId('campaign'),
    status: oneOf(STATUSES, 'The status of the campaign'),
    total_contacts: plain.integer('The contacts that were enrolled'),
    pending: plain.integer('Contacts of whom nothing is accepted yet'),
    unknown: plain.integer(
      'Of these, those whose message may have reached them: the network was called and its answer is missing. Nothing is sent twice; after a day without a status they count as failed',
    ),
    ...counted,
    skipped: plain.integer('Contacts who got nothing, for the reasons in skip_reasons'),
    cancelled: plain.integer('Contacts who got nothing because the campaign or their enrollment was cancelled'),
    delivery_rate: rate('delivered / sent'),
    read_rate: rate('read / sent'),
    reply_rate: rate('replied / sent'),
    failure_rate: rate('failed / sent; 1 when more have failed than were accepted'),
    skip_reasons: Type.Array(
      Type.Object({
        reason: plain.text('Why they were skipped'),
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
      Type.Object({ hour: Type.String({ ...Timestamp, description: 'When the hour begins' }), ...counted }),
      {
        description: 'What happened in each hour; hours in which nothing happened are left out',
      },
    ),
    generated_at: Timestamp,
  }),
);
export type CampaignAnalytics = Static<typeof CampaignAnalytics>;
