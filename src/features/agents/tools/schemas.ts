/** The arguments of the functions that a model may call. */
import { Type, type Static } from 'typebox';
import { NOT_BLANK, oneOf, strict } from '../../../platform/values/schema.ts';
import { AnyValue } from '../../custom-fields/schemas.ts';

export const NoArguments = strict({});

export const KnowledgeArguments = strict({
  query: Type.String({ minLength: 1, maxLength: 500, description: 'What to look for, in the words of the contact' }),
});
export type KnowledgeArguments = Static<typeof KnowledgeArguments>;

export const FieldArguments = strict({
  record: oneOf(['contact', 'conversation']),
  field: Type.String({ minLength: 1, maxLength: 64, description: 'The name of the field, as listed above' }),
  value: AnyValue,
});
export type FieldArguments = Static<typeof FieldArguments>;

export const TableArguments = strict({
  table: Type.String({ minLength: 1, maxLength: 64, description: 'The name of the table, as listed above' }),
  search: Type.String({ minLength: 1, maxLength: 200, description: 'One to four words that the rows must have' }),
});
export type TableArguments = Static<typeof TableArguments>;

export const FollowUpArguments = strict({
  minutes: Type.Integer({ minimum: 1, maximum: 30 * 24 * 60, description: 'In how many minutes' }),
  text: Type.String({ minLength: 1, maxLength: 4_096, ...NOT_BLANK, description: 'The message to send' }),
});
export type FollowUpArguments = Static<typeof FollowUpArguments>;

export const NameArguments = strict({
  name: Type.String({ minLength: 1, maxLength: 200, description: 'One of the names that are listed above' }),
});
export type NameArguments = Static<typeof NameArguments>;
