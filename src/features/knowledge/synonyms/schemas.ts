/** Words that mean the same for a company. */
import { Type, type Static } from 'typebox';
import {
  define,
  NOT_BLANK,
  nullable,
  oneOf,
  recordId,
  ref,
  strict,
  Timestamp,
} from '../../../platform/values/schema.ts';
import { ITEM_LANGUAGES } from '../schemas.ts';
import { declareLimit } from '../../../platform/values/limits.ts';

const MAX_GROUPS = declareLimit(200, { topic: 'Knowledge', what: 'Synonyms: groups', beyond: '400' });
const MAX_WORDS = declareLimit(10, { topic: 'Knowledge', what: 'Synonyms: words per group', beyond: '400' });

const SynonymGroup = define(
  'SynonymGroup',
  strict({
    language: oneOf(ITEM_LANGUAGES, 'The language of the words, and of the passages that they find'),
    words: Type.Array(Type.String({ minLength: 1, maxLength: 50, ...NOT_BLANK }), {
      minItems: 2,
      maxItems: MAX_WORDS,
      description:
        'Words that mean the same. At least one is a single word; an expression of several words is searched for in questions only',
    }),
  }),
);
export type SynonymGroup = Static<typeof SynonymGroup>;

export const Synonyms = define(
  'Synonyms',
  Type.Object({
    company: recordId('company'),
    groups: Type.Array(ref(SynonymGroup), { description: 'In the order in which they were written' }),
    updatedAt: nullable(Type.String({ ...Timestamp, description: 'When they were last changed; null if never' })),
  }),
);
export type Synonyms = Static<typeof Synonyms>;

export const SynonymsUpdate = define(
  'SynonymsUpdate',
  strict({ groups: Type.Array(ref(SynonymGroup), { maxItems: MAX_GROUPS, description: 'Replaces all groups' }) }),
);
export type SynonymsUpdate = Static<typeof SynonymsUpdate>;
