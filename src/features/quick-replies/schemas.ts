import { Type, type Static } from 'typebox';
import { pageSchema, pageQuery, searchParameter } from '../../platform/store/paging.ts';
import {
  define,
  explainedPattern,
  Name,
  NOT_BLANK,
  nullable,
  recordId,
  ref,
  strict,
  Timestamp,
  plain,
} from '../../platform/values/schema.ts';
import { MAX_TEXT } from '../messages/schemas.ts';
import { declareLimit } from '../../platform/values/limits.ts';

/** The most quick replies that a company shares, and the most that a user has. */
export const MAX_QUICK_REPLIES = declareLimit(500, {
  topic: 'Messages',
  what: 'Quick replies shared by a company, and of each user',
  beyond: '400',
});

/** The variables that a text may have, as `{{contact.name}}`. */
export const VARIABLES = [
  'contact.name',
  'contact.first_name',
  'contact.email',
  'contact.phone_number',
  'user.name',
  'company.name',
] as const;

export const QuickReply = define(
  'QuickReply',
  Type.Object({
    _id: recordId('quick-reply'),
    company: recordId('company'),
    title: plain.text('The name shown in the list of texts'),
    shortcut: plain.text('What users type after a slash'),
    content: plain.text('The text'),
    attachment: nullable(recordId('attachment')),
    owner: nullable(recordId('user')),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
);
export type QuickReply = Static<typeof QuickReply>;

const properties = {
  title: Type.String({ ...Name, description: 'The name shown in a list' }),
  shortcut: Type.String({
    minLength: 1,
    maxLength: 32,
    ...explainedPattern(String.raw`^[^\s/]+$`, 'must be without spaces and slashes'),
    description: 'What users type after a slash; unique, ignoring case, among those of the company and of each user',
  }),
  content: Type.String({
    minLength: 1,
    maxLength: MAX_TEXT,
    ...NOT_BLANK,
    description: `The text, in which the client fills in the variables ${VARIABLES.map((name) => `{{${name}}}`).join(', ')}`,
  }),
};
const attachment = Type.Optional(nullable(recordId('attachment', 'A file that is sent with the text')));

export const QuickReplyCreate = define(
  'QuickReplyCreate',
  strict({
    ...properties,
    attachment,
    owner: Type.Optional(
      Type.Unsafe<string | null>({
        ...nullable(recordId('user')),
        description: 'The calling user, for a personal one; null, the default: the entire company',
      }),
    ),
  }),
);
export type QuickReplyCreate = Static<typeof QuickReplyCreate>;

export const QuickReplyUpdate = define(
  'QuickReplyUpdate',
  strict({
    title: Type.Optional(properties.title),
    shortcut: Type.Optional(properties.shortcut),
    content: Type.Optional(properties.content),
    attachment,
  }),
);
export type QuickReplyUpdate = Static<typeof QuickReplyUpdate>;

export const QuickReplyParams = Type.Object({ id: recordId('quick-reply') });
export const QuickReplyList = pageSchema(ref(QuickReply));
export const QuickReplyQuery = pageQuery('-createdAt', {
  search: searchParameter('Part of the title, the shortcut or the text'),
});
export type QuickReplyQuery = Static<typeof QuickReplyQuery>;
