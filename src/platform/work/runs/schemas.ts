/** The schemas of runs that make one change in many records: bulk changes of conversations and of contacts. */
import { Type, type TProperties, type TSchema } from 'typebox';
import { ACTOR_TYPES } from '../../http/audit.ts';
import { declareLimit } from '../../values/limits.ts';
import { nullable, oneOf, plain, recordId, ref, strict, Timestamp } from '../../values/schema.ts';

/** The most records that a request can list by their ids, and that a filter can select. */
const MAX_IDS = declareLimit(1_000, {
  topic: 'Messages',
  what: 'Bulk change: conversations or contacts listed by id',
  beyond: '400',
});
export const MAX_SELECTED = declareLimit(10_000, {
  topic: 'Messages',
  what: 'Bulk change: conversations or contacts selected by filter',
  beyond: '400',
});
/** The most failures that a run shows. */
export const MAX_FAILURES = declareLimit(100, {
  topic: 'Messages',
  what: 'Bulk change: failures shown',
  beyond: 'the others are left out',
});

export const CHANGE_STATUSES = ['QUEUED', 'RUNNING', 'COMPLETED', 'CANCELLED', 'FAILED'] as const;

type Changed = 'conversation' | 'contact';

/** Makes the schema of a request that starts a run: the records, and what is done to them (`what`). */
export const runRequest = <F extends TSchema, P extends TProperties>(word: Changed, filter: F, what: P) =>
  strict({
    ids: Type.Optional(
      Type.Array(recordId(word), {
        minItems: 1,
        maxItems: MAX_IDS,
        uniqueItems: true,
        description: `The ${word}s to change. Either ids or filter is required`,
      }),
    ),
    filter: Type.Optional(
      ref(
        filter,
        `Selects the ${word}s that GET /v1/${word}s lists with these filters when the run begins, at most 10,000; {} selects all. ` +
          'Either ids or filter is required',
      ),
    ),
    ...what,
  });

/** What a failure of a run shows besides the id of its record. */
const FAILURE = {
  code: plain.text('The name of the error that the same change of this record alone would return'),
  message: plain.text('What happened, in a sentence for people'),
};

/** Makes the schema of a run, with `what` happens to each record. */
export const changeRun = <P extends TProperties>(word: Changed, what: P) =>
  Type.Object({
    _id: recordId(`${word}-run`),
    company: recordId('company'),
    ...what,
    status: oneOf(
      CHANGE_STATUSES,
      `The state of the run. FAILED: it ended before its last ${word}, and \`error\` says why`,
    ),
    total: plain.integer(`The selected ${word}s`),
    processed: plain.integer(`Processed ${word}s: changed, failed, and those that needed no change`),
    changed_count: plain.integer(`${word === 'contact' ? 'Contacts' : 'Conversations'} that were changed`),
    failed_count: plain.integer(`${word === 'contact' ? 'Contacts' : 'Conversations'} that could not be changed`),
    failures: Type.Array(Type.Object({ [word]: recordId(word), ...FAILURE }), {
      description: `The first ${MAX_FAILURES} that could not be changed`,
    }),
    error: nullable(
      plain.object('What went wrong; null if nothing did', {
        code: plain.text('The name of the error, for programs'),
        message: plain.text('What happened, in a sentence for people'),
      }),
    ),
    created_by: plain.object('The user or API key that started the run', {
      type: oneOf(ACTOR_TYPES, 'The kind of actor: a user, a key, or the platform'),
      _id: nullable(plain.text('The id of the user or the API key')),
      name: plain.name,
    }),
    started_at: nullable(Timestamp),
    finished_at: nullable(Timestamp),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  });
