import { Type, type Static } from 'typebox';
import { ACTOR_TYPES } from '../../platform/http/audit.ts';
import type { AiUse } from '../../platform/values/ai-use.ts';
import { VIAS } from '../../platform/http/via.ts';
import { pageSchema, pageQuery } from '../../platform/store/paging.ts';
import { define, namesRecord, nullable, oneOf, recordId, ref, Timestamp, plain } from '../../platform/values/schema.ts';

export const AuditEntry = define(
  'AuditEntry',
  Type.Object({
    _id: recordId('audit-entry'),
    company: recordId('company'),
    actor: plain.object('The actor', {
      type: oneOf(ACTOR_TYPES, 'The kind of actor: a user, a key, or the platform'),
      _id: nullable(recordId(['user', 'api-key'])),
      name: plain.name,
    }),
    action: plain.text('The action, such as inboxes.update or auth.login'),
    resource: plain.text('The kind of record, such as inboxes'),
    resource_id: nullable(recordId('*')),
    resource_name: nullable(
      plain.text(
        'The name that the record has now; of a conversation or message that of the contact, of an import that of the file. Null if it was erased, has no name, or the caller may not read it',
      ),
    ),
    fields: Type.Array(plain.text('The names of the fields in the request, without their values'), {
      description: 'Which fields of the record were set; never their values',
    }),
    address: nullable(plain.text('The IP address of the request')),
    user_agent: nullable(plain.text('The `User-Agent` of the request')),
    request_id: nullable(plain.text('The `x-request-id` of the request')),
    ai: Type.Unsafe<AiUse | null>(
      nullable(
        plain.object('What the request used of a model; null if it used none', {
          model: plain.text('The model'),
          input_tokens: nullable(plain.integer('How many tokens it read; null if the model did not report them')),
          output_tokens: nullable(plain.integer('How many tokens it wrote; null if the model did not report them')),
          cost: nullable(
            plain.object('The cost of the tokens, at the prices of the agent; null without prices', {
              amount: Type.Number({ description: 'The amount' }),
              currency: plain.text('The currency, as an ISO 4217 code'),
            }),
          ),
        }),
      ),
    ),
    via: nullable(oneOf(VIAS, 'The protocol by which the request came; null for the API itself')),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
);
export type AuditEntry = Static<typeof AuditEntry>;
/** An entry as it is stored: it names no values. */
export type AuditLine = Omit<AuditEntry, 'resource_name'>;

export const AuditList = pageSchema(ref(AuditEntry));
export const AuditQuery = pageQuery('-createdAt', {
  actor: Type.Optional(recordId(['user', 'api-key'])),
  action: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'The action, as `resource.action`' })),
  resource: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'A kind of record, or the id of one',
      ...namesRecord('*'),
    }),
  ),
  from: Type.Optional(Timestamp),
  to: Type.Optional(Timestamp),
});
export type AuditQuery = Static<typeof AuditQuery>;
