import { Type, type Static } from 'typebox';
import { pageQuery, pageSchema } from '../../platform/store/paging.ts';
import { declareLimit } from '../../platform/values/limits.ts';
import {
  define,
  Name,
  nullable,
  oneOf,
  plain,
  recordId,
  ref,
  strict,
  Timestamp,
} from '../../platform/values/schema.ts';

export const MAX_POLICIES = declareLimit(50, { topic: 'Messages', what: 'SLA policies per company', beyond: '400' });
const MAX_MINUTES = declareLimit(43_200, {
  topic: 'Messages',
  what: 'Target of an SLA policy',
  unit: 'minutes',
  beyond: '400',
});
const MAX_PLACES = declareLimit(100, { topic: 'Messages', what: 'Inboxes and teams of an SLA policy', beyond: '400' });
const MAX_POSITION = declareLimit(1_000_000, { topic: 'Messages', what: 'Position of an SLA policy', beyond: '400' });

const minutes = (description: string) => nullable(Type.Integer({ minimum: 1, maximum: MAX_MINUTES, description }));
const places = (kind: 'inbox' | 'team', description: string) =>
  nullable(Type.Array(recordId(kind), { maxItems: MAX_PLACES, uniqueItems: true, description }));

const name = Type.String({ ...Name, maxLength: 80, description: 'What people call the policy' });
const properties = {
  first_reply_minutes: minutes('How soon the first message of the contact is answered; null for no target'),
  next_reply_minutes: minutes('How soon each later message is answered; null for no target'),
  close_minutes: minutes('How soon the conversation is closed; null for no target'),
  within_business_hours: plain.flag('Whether only the business hours of the inbox count'),
  inboxes: places('inbox', 'The inboxes to which it applies; null for all'),
  teams: places('team', 'The teams to whose conversations it applies; null for all'),
  priorities: nullable(
    Type.Array(oneOf(['LOW', 'MEDIUM', 'HIGH', 'URGENT', 'NONE']), {
      maxItems: 5,
      uniqueItems: true,
      description: 'The priorities to which it applies, NONE for conversations without one; null for all',
    }),
  ),
  position: Type.Integer({
    minimum: 0,
    maximum: MAX_POSITION,
    description: 'Its place among the policies: the first that applies to a conversation counts',
  }),
};

export const SlaPolicy = define(
  'SlaPolicy',
  Type.Object({
    _id: recordId('sla-policy'),
    company: recordId('company'),
    name,
    ...properties,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
);
export type SlaPolicy = Static<typeof SlaPolicy>;

const optional = Type.Partial(Type.Object(properties)).properties;
export const SlaPolicyCreate = define('SlaPolicyCreate', strict({ name, ...optional }));
export type SlaPolicyCreate = Static<typeof SlaPolicyCreate>;
export const SlaPolicyUpdate = define('SlaPolicyUpdate', strict({ name: Type.Optional(name), ...optional }));
export type SlaPolicyUpdate = Static<typeof SlaPolicyUpdate>;

export const SlaPolicyParams = Type.Object({ id: recordId('sla-policy') });
export const SlaPolicyList = pageSchema(ref(SlaPolicy));
export const SlaPolicyQuery = pageQuery('-createdAt', {});
export type SlaPolicyQuery = Static<typeof SlaPolicyQuery>;
