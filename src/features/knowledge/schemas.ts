import { Type, type Static } from 'typebox';
import { TEXT_FORMATS } from '../../platform/work/media/formats.ts';
import { FilePart } from '../../platform/http/multipart.ts';
import { pageQuery, pageSchema, searchParameter } from '../../platform/store/paging.ts';
import {
  define,
  Name,
  NOT_BLANK,
  nullable,
  oneOf,
  recordId,
  ref,
  strict,
  Timestamp,
  described,
  plain,
} from '../../platform/values/schema.ts';
import { OwningCompany } from '../companies/schemas.ts';
import { tagList } from '../conversations/schemas.ts';
import { declareLimit } from '../../platform/values/limits.ts';

const ITEM_TYPES = ['KNOWLEDGE', 'MEDIA'] as const;
const ITEM_FILE_TYPES = ['PDF', 'DOCX', 'AUTCL', 'IMAGE', 'VIDEO', 'AUDIO', 'DOCUMENT'] as const;
const ITEM_STATUSES = ['PROCESSING', 'READY', 'ERROR'] as const;
export type ItemType = (typeof ITEM_TYPES)[number];
export type ItemFileType = (typeof ITEM_FILE_TYPES)[number];
/** The languages whose stems the search knows. */
export const ITEM_LANGUAGES = ['pt', 'en', 'es'] as const;
export type ItemLanguage = (typeof ITEM_LANGUAGES)[number];

/** The most characters of the text of an item. The whole record has a limit in bytes as well. */
// Together with the other fields it has to fit into a body of 1 MB.
const MAX_CONTENT = declareLimit(1_000_000, {
  topic: 'Knowledge',
  what: 'Item: text',
  unit: 'characters',
  beyond: '400',
});
const MAX_DESCRIPTION = declareLimit(2_000, {
  topic: 'Knowledge',
  what: 'Item: description',
  unit: 'characters',
  beyond: '400',
});

/** How many pages of the file of an item were read. */
export interface PageProgress {
  read: number;
  pages: number;
}

const ItemError = plain.object('What went wrong; null if nothing did', {
  code: plain.text('The cause, for programs'),
  message: plain.text('What happened, in a sentence for people'),
});
export type ItemError = Static<typeof ItemError>;

const shownProperties = {
  _id: recordId('knowledge-item'),
  name: plain.name,
  type: oneOf(ITEM_TYPES, 'KNOWLEDGE is searched, MEDIA is sent'),
  file_type: oneOf(ITEM_FILE_TYPES, 'What it was made from; AUTCL is Markdown that is edited here'),
  company: ref(OwningCompany, 'The company that owns it'),
  description: Type.Optional(plain.text('What the field is for, shown to people')),
  attachment: Type.Optional(recordId('attachment', 'The file that it was made from, which can be sent')),
  storage_key: Type.Optional(plain.text('The name of the file in the store')),
  file_url: Type.Optional(plain.text('A public link to the file that never expires')),
  meta: Type.Optional(
    plain.object('What the platform has detected about the file', {
      mimeType: plain.text('The media type of the contents'),
      size: Type.Optional(plain.integer('The bytes of the file')),
      fileName: plain.text('The name given by the caller'),
      pages: Type.Optional(plain.integer('How many pages a PDF has, once the platform has opened it')),
      pagesRead: Type.Optional(plain.integer('How many of its pages were read')),
    }),
  ),
  language: oneOf(ITEM_LANGUAGES, 'The language of the text, used by the search'),
  tags: Type.Array(Type.String(), { description: 'Words for grouping records' }),
  status: oneOf(
    ITEM_STATUSES,
    'PROCESSING: it is being prepared for the search, which finds the previous text until then; READY: the search finds it; ERROR: it could not be prepared',
  ),
  error: Type.Optional(ItemError),
  chunk_count: plain.integer('How many passages of it the search can find'),
  createdAt: Timestamp,
  updatedAt: Timestamp,
};

export const KnowledgeItem = define(
  'KnowledgeItem',
  Type.Object({ ...shownProperties, content: Type.Optional(plain.text('The text, as Markdown')) }),
);
export type KnowledgeItem = Static<typeof KnowledgeItem>;

/** An item of a list, which leaves the text out. */
export const ListedKnowledgeItem = define('ListedKnowledgeItem', Type.Object(shownProperties));
export type ListedKnowledgeItem = Static<typeof ListedKnowledgeItem>;

const content = Type.String({
  minLength: 1,
  maxLength: MAX_CONTENT,
  ...NOT_BLANK,
  description: 'The text, as Markdown. Its headings are kept with the passages below them',
});
const optionalProperties = {
  description: Type.Optional(
    nullable(Type.String({ maxLength: MAX_DESCRIPTION, description: 'What the field is for, shown to people' })),
  ),
  tags: Type.Optional(tagList('Replaces all tags of the item')),
  language: Type.Optional(
    oneOf(
      ITEM_LANGUAGES,
      "The language of the text. If none is given, it is detected for a new text; for a file, and for a text too short to detect it, it is the company's",
    ),
  ),
};

export const AutclCreate = define('AutclCreate', strict({ name: Name, content, ...optionalProperties }));
export type AutclCreate = Static<typeof AutclCreate>;

export const AutclUpdate = define(
  'AutclUpdate',
  strict({ name: Type.Optional(Name), content: Type.Optional(content), ...optionalProperties }),
);
export type AutclUpdate = Static<typeof AutclUpdate>;

export const KnowledgeUpload = strict({
  file: FilePart,
  name: Type.Optional(described(Name, 'The name of the item; by default the name of the file')),
  description: Type.Optional(
    Type.String({ maxLength: MAX_DESCRIPTION, description: 'What the file shows; MEDIA is found by it' }),
  ),
  type: Type.Optional(
    oneOf(
      ITEM_TYPES,
      `KNOWLEDGE reads the text of ${TEXT_FORMATS.join(', ')}; MEDIA is for every other file, and their default`,
    ),
  ),
  language: optionalProperties.language,
  tags: optionalProperties.tags,
});
export type KnowledgeUpload = Static<typeof KnowledgeUpload>;

export const KnowledgeParams = Type.Object({ id: recordId('knowledge-item') });
export const KnowledgeList = pageSchema(ref(ListedKnowledgeItem));
export const KnowledgeQuery = pageQuery('-createdAt', {
  type: Type.Optional(oneOf(ITEM_TYPES, 'Only records of this type')),
  file_type: Type.Optional(oneOf(ITEM_FILE_TYPES, 'Only items of this file type')),
  status: Type.Optional(oneOf(ITEM_STATUSES, 'Only records with this status')),
  search: searchParameter('Part of the name, the description or a tag'),
});
export type KnowledgeQuery = Static<typeof KnowledgeQuery>;

export const KnowledgeSearch = define(
  'KnowledgeSearch',
  strict({
    query: Type.String({
      minLength: 1,
      maxLength: 1_000,
      ...NOT_BLANK,
      description: 'A question or some words, in any language',
    }),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 50, default: 10, description: 'The most passages to return' }),
    ),
  }),
);
export type KnowledgeSearch = Static<typeof KnowledgeSearch>;

const FoundPassage = Type.Object({
  item: recordId('knowledge-item'),
  name: plain.text('The name of the item'),
  headings: Type.Array(Type.String(), { description: 'The headings above the passage, outermost first' }),
  content: plain.text('The text of the passage, as Markdown'),
  position: plain.integer('Its position among the passages of the item, from 0'),
  score: Type.Number({
    description:
      'How well it matches, up to 1: combines the ranks of the passage by the words of the question, by words with a similar spelling, and by similar meaning',
  }),
});

export const KnowledgeSearchResult = define(
  'KnowledgeSearchResult',
  Type.Object({ result: Type.Array(FoundPassage, { description: 'The passages, best first' }) }),
);
export type KnowledgeSearchResult = Static<typeof KnowledgeSearchResult>;
