/** The questions that a new visitor answers before the first message. The answers come with it. */
import type { WebQuestion as Configured } from '../../channels/web-config.ts';
import type { Kit } from '../../kit.ts';
import { AppError, invalid } from '../../platform/values/errors.ts';
import { getOwnProperty } from '../../platform/values/own-property.ts';
import { actAs } from '../../platform/store/tenant.ts';
import { writeContactFields } from '../contacts/contacts.ts';
import type { CustomField } from '../custom-fields/schemas.ts';
import { findValueFault, isEmpty, listAllDefinitions } from '../custom-fields/values.ts';
import { openChat, type Visit } from './chat.ts';
import { findNewestConversation, hasAnswers } from './queries.ts';
import type { FieldValues, WebQuestion } from './schemas.ts';
import type { Site } from './sites.ts';
import { declareLimit } from '../../platform/values/limits.ts';

const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,189}$/;
const MAX_NAME = declareLimit(200, {
  topic: 'Web chat',
  what: 'Name of a visitor',
  unit: 'characters',
  beyond: '400',
});

interface Question extends WebQuestion {
  field: CustomField | null;
}

interface Answered {
  question: Question;
  value: NonNullable<FieldValues[string]>;
}

/** Asked while the company is away, so that it can write back. */
const AWAY_QUESTION: Configured = { kind: 'EMAIL', required: false };

/** The questions of a chat. One whose custom field has been removed since is not asked. */
export async function listQuestions(
  kit: Kit,
  { company, config }: Site,
  { isAway }: { isAway: boolean },
): Promise<Question[]> {
  const asksEmail = config.identity_required || config.questions.some(({ kind }) => kind === 'EMAIL');
  const questions = isAway && !asksEmail ? [...config.questions, AWAY_QUESTION] : config.questions;
  const needsFields = questions.some(({ kind }) => kind === 'CUSTOM_FIELD');
  const fields = needsFields ? await listAllDefinitions(kit.database.read(company), 'contact') : [];
  return questions.flatMap((question) => describeQuestion(question, fields) ?? []);
}

function describeQuestion({ kind, slug, required }: Configured, fields: CustomField[]): Question | null {
  if (kind !== 'CUSTOM_FIELD')
    return { key: kind, kind, title: null, type: 'TEXT', options: [], required, field: null };
  const field = fields.find((each) => each.slug === slug);
  return field
    ? { key: field.slug, kind, title: field.title, type: field.type, options: field.options, required, field }
    : null;
}

export interface GivenAnswers {
  name: string | null;
  /** What the company reads. */
  lines: { title: string; value: NonNullable<FieldValues[string]> }[];
  /** Stores the values of custom fields at the contact, once the message that brings them is in a conversation. */
  store(stored: { contact: string; conversation: string }): Promise<void>;
}

/**
 * Reads the answers that come with a message. Returns null when nothing is to be stored: the chat has its answers already, or has begun
 * without any. A page sends them again with a later message when it does not know that an earlier one has brought them.
 */
export async function takeAnswers(kit: Kit, visit: Visit, given: FieldValues = {}): Promise<GivenAnswers | null> {
  const opened = await openChat(kit, visit);
  // A known person has a contact before they write.
  if (!opened || !(await findNewestConversation(opened.read, opened.chat)))
    return readAnswers(kit, visit, { given, isRequired: visit.visitor.externalId === null });
  if (Object.keys(given).length === 0 || (await hasAnswers(opened.read, opened.chat))) return null;
  return readAnswers(kit, visit, { given, isRequired: false });
}

/**
 * Checks the answers to the questions. An e-mail address is only shown to the company: no one has proven it, so it identifies no contact.
 * Throws VALIDATION_FAILED, which names the answer.
 */
async function readAnswers(
  kit: Kit,
  visit: Visit,
  { given, isRequired }: { given: FieldValues; isRequired: boolean },
): Promise<GivenAnswers> {
  // The company may have come back since the visitor was asked.
  const questions = await listQuestions(kit, visit.site, { isAway: true });
  const keys = new Set(questions.map(({ key }) => key));
  for (const key of Object.keys(given))
    if (!keys.has(key)) throw invalid(`answers.${key}`, 'is not a question of this chat');
  const answered = questions.flatMap((question) => {
    const value = getOwnProperty(given, question.key) ?? null;
    if (value === null || isEmpty(value)) {
      if (question.required && isRequired) throw invalid(`answers.${question.key}`, 'is required', 'REQUIRED');
      return [];
    }
    const fault = findAnswerFault(question, value);
    if (fault !== null) throw invalid(`answers.${question.key}`, fault);
    return [{ question, value }];
  });
  const typed = answered.find(({ question }) => question.kind === 'NAME')?.value;
  const name = typeof typed === 'string' ? typed.trim() : null;
  const fields = answered.filter(({ question }) => question.field !== null);
  return {
    name,
    lines: answered.map(({ question, value }) => ({
      title: question.title ?? TITLES[question.kind] ?? question.key,
      value,
    })),
    store: async (stored) => {
      if (fields.length > 0) await storeFields(kit, visit, stored, fields);
    },
  };
}

/** Stores the answers that come with the repetition of a message: the first try may have stored the message alone. */
export async function repeatAnswers(
  kit: Kit,
  visit: Visit,
  stored: { contact: string; conversation: string },
  given: FieldValues = {},
): Promise<void> {
  if (Object.keys(given).length === 0) return;
  await (await readAnswers(kit, visit, { given, isRequired: false })).store(stored);
}

async function storeFields(
  kit: Kit,
  { site }: Visit,
  { contact, conversation }: { contact: string; conversation: string },
  fields: Answered[],
): Promise<void> {
  const acting = actAs(kit.database, site.company, { type: 'system', id: null, name: 'Web chat' });
  const custom_fields = Object.fromEntries(fields.map(({ question, value }) => [question.key, value]));
  try {
    await acting.tx((tx) => writeContactFields(tx, { contact, conversation }, custom_fields));
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    // Failure policy: values for which the contact has no room, or whose fields have just changed, stand in the form. The visitor can do
    // nothing about it, so their message is taken.
    kit.log.warn({ err: error, contact }, 'web chat: answers could not be stored at the contact');
  }
}

const TITLES: Record<string, string> = { NAME: 'Name', EMAIL: 'E-mail' };

function findAnswerFault({ kind, field }: Question, value: NonNullable<FieldValues[string]>): string | null {
  if (field) return findValueFault(field, value);
  if (typeof value !== 'string') return 'must be a text';
  if (kind === 'EMAIL') return EMAIL.test(value) ? null : 'must be an e-mail address';
  return value.trim() !== '' && value.length <= MAX_NAME ? null : `must be a text of at most ${MAX_NAME} characters`;
}
