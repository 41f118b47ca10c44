/** What a model writes for the people of a company, and which agent it writes as. */
import { Type, type Static } from 'typebox';
import {
  define,
  NOT_BLANK,
  nullable,
  oneOf,
  plain,
  recordId,
  strict,
  Timestamp,
} from '../../platform/values/schema.ts';
import { LanguageTag } from '../contacts/schemas.ts';
import { MAX_TEXT } from '../messages/schemas.ts';

export const ACTS = ['DRAFT', 'REWRITE', 'SUMMARIZE', 'TRANSLATE'] as const;
export type Act = (typeof ACTS)[number];

const agent = nullable(
  recordId(
    'agent',
    'The agent of type AI whose model, prices and knowledge are used, and whose instructions drafts follow; null: off',
  ),
);
const acts = Type.Array(oneOf(ACTS), {
  maxItems: ACTS.length,
  uniqueItems: true,
  description:
    'What users can do. DRAFT: get a draft of a reply; REWRITE: change the style of a text before it is sent; SUMMARIZE: ' +
    'get a summary of a conversation; TRANSLATE: translate messages, and texts before they are sent',
});

export const AssistSettings = define(
  'AssistSettings',
  Type.Object({
    company: recordId('company'),
    agent,
    acts,
    is_available: plain.flag(
      'Whether the acts work: the agent is ACTIVE, at least one act is allowed, and the installation has a model',
    ),
    has_model: plain.flag('Whether the installation has a model, without which nothing can be written'),
    updatedAt: nullable(Type.String({ ...Timestamp, description: 'When they were last changed; null if never' })),
  }),
);
export type AssistSettings = Static<typeof AssistSettings>;

export const AssistSettingsUpdate = define('AssistSettingsUpdate', strict({ agent, acts }));
export type AssistSettingsUpdate = Static<typeof AssistSettingsUpdate>;

export const Draft = define(
  'Draft',
  Type.Object({
    text: plain.text("The draft, in the contact's language and with the formatting marks of the channel"),
    passages: Type.Array(
      Type.Object({
        item: recordId('knowledge-item'),
        name: plain.text('The name of the item'),
        content: plain.text('The text of the passage'),
      }),
      { description: 'The passages that the model has read, best first' },
    ),
  }),
);
export type Draft = Static<typeof Draft>;

export const SummaryAsked = define(
  'SummaryAsked',
  strict({ language: { ...LanguageTag, description: 'The language of the summary, as a BCP 47 tag: pt-BR' } }),
);
export type SummaryAsked = Static<typeof SummaryAsked>;

export const Summary = define('Summary', Type.Object({ text: plain.text('The summary') }));
export type Summary = Static<typeof Summary>;

export const STYLES = ['SHORTER', 'FRIENDLIER', 'MORE_FORMAL', 'FIX_SPELLING', 'TRANSLATE'] as const;
export type Style = (typeof STYLES)[number];

export const RewriteAsked = define(
  'RewriteAsked',
  strict({
    text: Type.String({ minLength: 1, maxLength: MAX_TEXT, ...NOT_BLANK, description: 'The text to rewrite' }),
    style: oneOf(STYLES, 'How the text changes. TRANSLATE needs `language`'),
    language: Type.Optional({ ...LanguageTag, description: 'The language of a translation, as a BCP 47 tag: pt-BR' }),
  }),
);
export type RewriteAsked = Static<typeof RewriteAsked>;

export const Rewrite = define('Rewrite', Type.Object({ text: plain.text('The new text') }));
export type Rewrite = Static<typeof Rewrite>;

export const TranslationAsked = define(
  'TranslationAsked',
  strict({ language: { ...LanguageTag, description: 'The language of the translation, as a BCP 47 tag: pt-BR' } }),
);
export type TranslationAsked = Static<typeof TranslationAsked>;

export const Translation = define(
  'Translation',
  Type.Object({
    text: plain.text('The translation'),
    is_shortened: plain.flag(`Whether only the first ${MAX_TEXT.toLocaleString('en')} characters were translated`),
  }),
);
export type Translation = Static<typeof Translation>;
