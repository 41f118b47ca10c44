/** The settings of a web chat as its form holds them. */
import type { Inbox } from '@parley/sdk';
import { toHoursDraft, toOfficeHours, type HoursDraft } from './hours.ts';

export type WebConfig = NonNullable<Inbox['web_config']>;
type Question = WebConfig['questions'][number];

/** The settings, with each list as the lines of a text. */
export type WebDraft = Omit<WebConfig, 'allowed_origins' | 'quick_replies' | 'office_hours'> & {
  origins: string;
  replies: string;
  hours: HoursDraft | null;
};

export interface WebDraftProps {
  draft: WebDraft;
  change(next: Partial<WebDraft>): void;
  error: unknown;
}

export function toDraft({ allowed_origins, quick_replies, office_hours, ...config }: WebConfig): WebDraft {
  const lists = { origins: allowed_origins.join('\n'), replies: quick_replies.join('\n') };
  return { ...config, ...lists, hours: office_hours && toHoursDraft(office_hours) };
}

/** A secret that is sent back as its mask stays as it is. */
export function toConfig({ origins, replies, hours, ...draft }: WebDraft): WebConfig {
  return {
    ...draft,
    allowed_origins: readLines(origins),
    quick_replies: readLines(replies),
    office_hours: hours && toOfficeHours(hours),
    title: draft.title?.trim() || null,
    avatar_url: draft.avatar_url?.trim() || null,
    welcome_text: draft.welcome_text?.trim() || null,
  };
}

export const readLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

export type Asked = 'no' | 'optional' | 'required';
type AskedKey = Pick<Question, 'kind' | 'slug'>;

const isSame = (a: AskedKey, b: AskedKey): boolean => a.kind === b.kind && a.slug === b.slug;

export function readAsked(questions: readonly Question[], key: AskedKey): Asked {
  const question = questions.find((each) => isSame(each, key));
  if (!question) return 'no';
  return question.required ? 'required' : 'optional';
}

/** A question that is asked already keeps its place. */
export function changeAsked(questions: readonly Question[], key: AskedKey, asked: Asked): Question[] {
  if (asked === 'no') return questions.filter((each) => !isSame(each, key));
  const next = { ...key, required: asked === 'required' };
  return questions.some((each) => isSame(each, key))
    ? questions.map((each) => (isSame(each, key) ? next : each))
    : [...questions, next];
}

/** Makes a secret of 32 random bytes. */
export function makeSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
