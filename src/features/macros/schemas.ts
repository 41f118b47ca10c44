import { Type, type Static } from 'typebox';
import { pageQuery, pageSchema } from '../../platform/store/paging.ts';
import { declareLimit } from '../../platform/values/limits.ts';
import {
  define,
  Name,
  NOT_BLANK,
  nullable,
  plain,
  recordId,
  ref,
  strict,
  Timestamp,
} from '../../platform/values/schema.ts';
import { runRequest } from '../../platform/work/runs/schemas.ts';
import { MARK_UNREAD } from '../conversations/bulk/schemas.ts';
import { ConversationFilters, SHARED_CHANGES, tagList } from '../conversations/schemas.ts';
import { MAX_TEXT } from '../messages/schemas.ts';
import { VARIABLES } from '../quick-replies/schemas.ts';
import { MAX_HOLD_SECONDS } from '../scheduled-messages/schemas.ts';
import { GivenTemplate } from '../templates/schemas.ts';

const { Optional } = Type;

/** The most macros that a company shares, and the most that a user has. */
export const MAX_MACROS = declareLimit(200, {
  topic: 'Messages',
  what: 'Macros shared by a company, and of each user',
  beyond: '400',
});
const MAX_SNOOZE_MINUTES = declareLimit(527_040, {
  topic: 'Messages',
  what: 'Macros and rules: `snooze_minutes`',
  unit: 'minutes',
  beyond: '400',
});

const { snoozed_until: _absolute, ...changes } = SHARED_CHANGES;
const text = (description: string) => Type.String({ minLength: 1, maxLength: MAX_TEXT, ...NOT_BLANK, description });

/** The actions of macros and rules. */
export const ACTION_PROPERTIES = {
  ...changes,
  add_tags: tagList('Tags to add'),
  remove_tags: tagList('Tags to remove'),
  unread: MARK_UNREAD,
  snooze_minutes: Type.Integer({
    minimum: 1,
    maximum: MAX_SNOOZE_MINUTES,
    description: 'Snoozes the conversation for this time; not with `status`',
  }),
  note: text('A note for the team'),
  reply: text(
    `A text to the contact, in which these variables are filled in: ${VARIABLES.map((name) => `{{${name}}}`).join(', ')}. Not with \`template\``,
  ),
  template: ref(GivenTemplate, 'A template to the contact'),
};
export const Actions = define(
  'Actions',
  Type.Partial(strict(ACTION_PROPERTIES), { additionalProperties: false, minProperties: 1 }),
);
export type Actions = Static<typeof Actions>;
export const ACTIONS_WORDS = 'What is done, in one transaction: the note, the message, then all changes';

export const Macro = define(
  'Macro',
  Type.Object({
    _id: recordId('macro'),
    company: recordId('company'),
    name: plain.name,
    owner: nullable(recordId('user')),
    actions: ref(Actions, ACTIONS_WORDS),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
);
export type Macro = Static<typeof Macro>;

const properties = { name: Name, actions: ref(Actions, ACTIONS_WORDS) };

export const MacroCreate = define(
  'MacroCreate',
  strict({
    ...properties,
    owner: Optional(
      Type.Unsafe<string | null>({
        ...nullable(recordId('user')),
        description: 'The calling user, for a personal one; null, the default: the entire company',
      }),
    ),
  }),
);
export type MacroCreate = Static<typeof MacroCreate>;

export const MacroUpdate = define('MacroUpdate', Type.Partial(strict(properties), { additionalProperties: false }));
export type MacroUpdate = Static<typeof MacroUpdate>;

export const MacroRun = define(
  'MacroRun',
  strict({
    macro: recordId('macro'),
    hold_seconds: Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_HOLD_SECONDS,
        description:
          'Holds the message to the contact for this long, so that it can be cancelled; 0, the default, sends it at once',
      }),
    ),
  }),
);
export type MacroRun = Static<typeof MacroRun>;

export const MacroRunMany = define('MacroRunMany', runRequest('conversation', ConversationFilters, {}));
export type MacroRunMany = Static<typeof MacroRunMany>;

export const MacroParams = Type.Object({ id: recordId('macro') });
export const MacroList = pageSchema(ref(Macro));
export const MacroQuery = pageQuery('-createdAt', {});
export type MacroQuery = Static<typeof MacroQuery>;
