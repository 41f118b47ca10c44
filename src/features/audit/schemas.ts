import { Type, type Static } from 'typebox';
import { ACTOR_TYPES } from '../../platform/http/audit.ts';
import { pageSchema, pageQuery } from '../../platform/store/paging.ts';
import { define, namesRecord, nullable, oneOf, recordId, ref, Timestamp } from '../../platform/values/schema.ts';

export const AuditEntry = define(
  'AuditEntry',
  Type.Object({
    _id: recordId('audit-entry'),
    company: recordId('company'),
    actor: Type.Object({ type: oneOf(ACTOR_TYPES), _id: nullable(recordId(['user', 'api-key'])), name: Type.String() }),
    action: Type.String({ description: 'The action, such as inboxes.update or auth.login' }),
    resource: Type.String({ description: 'The kind of record, such as inboxes' }),
    resource_id: nullable(recordId('*')),
    fields: Type.Array(Type.String({ description: 'The names of the fields in the request, without their values' })),
    address: nullable(Type.String()),
    user_agent: nullable(Type.String()),
    request_id: nullable(Type.String()),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
);
export type AuditEntry = Static<typeof AuditEntry>;

export const AuditList = pageSchema(ref(AuditEntry));
export const AuditQuery = pageQuery('-createdAt', {
  actor: Type.Optional(recordId(['user', 'api-key'])),
  action: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
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
