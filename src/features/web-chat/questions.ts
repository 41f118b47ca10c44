/** The questions that a new visitor answers before the first message. */
import type { WebQuestion as Configured } from '../../channels/web-config.ts';
import type { Kit } from '../../kit.ts';
import { invalid } from '../../platform/values/errors.ts';
import { getOwnProperty } from '../../platform/values/own-property.ts';
import { actAs } from '../../platform/store/tenant.ts';
import { updateContactById } from '../contacts/contacts.ts';
import type { CustomField } from '../custom-fields/schemas.ts';
import { findValueFault, isEmpty, listAllDefinitions } from '../custom-fields/values.ts';
import type { Visit } from './chat.ts';
import type { FieldValues, WebQuestion } from './schemas.ts';
import type { Site } from './sites.ts';

const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,189}$/;
const MAX_NAME = 200;

interface Question extends WebQuestion {
  field: CustomField | null;
}

/** The questions of a chat. One whose custom field has been removed since is not asked. */
export async function listQuestions(kit: Kit, { company, config: { questions } }: Site): Promise<Question[]> {
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
  /** Stores the values of custom fields at the contact. */
  store(contact: string): Promise<void>;
}

/**
 * Checks the answers to the questions. An e-mail address is only shown to the company: nobody has proven it, so it identifies no contact.
 * Throws VALIDATION_FAILED, which names the answer; a required one may only be missing from a known visitor.
 */
export async function readAnswers(kit: Kit, visit: Visit, given: FieldValues): Promise<GivenAnswers> {
  const questions = await listQuestions(kit, visit.site);
  const keys = new Set(questions.map(({ key }) => key));
  for (const key of Object.keys(given)) if (!keys.has(key)) throw invalid(`answers.${key}`, 'is not asked');
  const answered = questions.flatMap((question) => {
    const value = getOwnProperty(given, question.key) ?? null;
    if (value === null || isEmpty(value)) {
      const isMissing = question.required && visit.visitor.externalId === null;
      if (isMissing) throw invalid(`answers.${question.key}`, 'is required', 'REQUIRED');
      return [];
    }
    const fault = findAnswerFault(question, value);
    if (fault !== null) throw invalid(`answers.${question.key}`, fault);
    return [{ question, value }];
  });
  const name = answered.find(({ question }) => question.kind === 'NAME')?.value;
  const fields = answered.filter(({ question }) => question.field !== null);
  return {
    name: typeof name === 'string' ? name.trim() : null,
    lines: answered.map(({ question, value }) => ({
      title: question.title ?? TITLES[question.kind] ?? question.key,
      value,
    })),
    store: async (contact) => {
      if (fields.length === 0) return;
      const acting = actAs(kit.database, visit.site.company, { type: 'system', id: null, name: 'Web chat' });
      const custom_fields = Object.fromEntries(fields.map(({ question, value }) => [question.key, value]));
      await updateContactById(acting, contact, { custom_fields });
    },
  };
}

const TITLES: Record<string, string> = { NAME: 'Name', EMAIL: 'E-mail' };

function findAnswerFault({ kind, field }: Question, value: NonNullable<FieldValues[string]>): string | null {
  if (field) return findValueFault(field, value);
  if (typeof value !== 'string') return 'must be a text';
  if (kind === 'EMAIL') return EMAIL.test(value) ? null : 'must be an e-mail address';
  return value.trim() !== '' && value.length <= MAX_NAME ? null : `must be a text of at most ${MAX_NAME} characters`;
}
