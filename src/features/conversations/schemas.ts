import { Type, type Static } from 'typebox';
import { CHANNEL_NAMES, CONTENT_TYPES } from '../../channels/channel.ts';
import { define, Id, nullable, oneOf, ref, Timestamp } from '../../platform/schema.ts';
import { FieldValue } from '../contacts/schemas.ts';

export const SENDER_TYPES = ['CONTACT', 'USER', 'AGENT', 'SYSTEM'] as const;
export const MESSAGE_TYPES = ['INCOMING', 'OUTGOING', 'NOTE', 'SYSTEM'] as const;

export const Conversation = define(
  'Conversation',
  Type.Object({
    _id: Id,
    company: Id,
    contact: Id,
    inbox: Id,
    channel: oneOf(CHANNEL_NAMES),
    status: oneOf(['OPEN', 'PENDING', 'SNOOZED', 'CLOSED']),
    handled_by: oneOf(['AI', 'HUMAN', 'NONE']),
    agent: nullable(Id),
    owner: nullable(Id),
    attendant: nullable(Id),
    pipeline: nullable(Id),
    step: nullable(Id),
    campaign: nullable(Id),
    enrollment: nullable(Id),
    tags: Type.Array(Type.String()),
    custom_fields: Type.Array(ref(FieldValue)),
    unread_count: Type.Integer(),
    last_message: nullable(
      Type.Object({
        _id: Id,
        content: nullable(Type.String()),
        contentType: oneOf(CONTENT_TYPES),
        sender_type: oneOf(SENDER_TYPES),
        message_type: oneOf(MESSAGE_TYPES),
        createdAt: Timestamp,
      }),
    ),
    last_message_at: nullable(Timestamp),
    last_inbound_at: nullable(Timestamp),
    window_expires_at: nullable(Timestamp),
    snoozed_until: nullable(Timestamp),
    is_test: Type.Boolean(),
    closed_at: nullable(Timestamp),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
);
export type Conversation = Static<typeof Conversation>;

export const ConversationParams = Type.Object({ id: Id });
