import { Type, type Static } from 'typebox';
import type { Readable } from 'node:stream';
import { oneOf, plain, strict } from '../../../platform/values/schema.ts';

export const TRANSCRIPT_LANGUAGES = ['en', 'pt-BR', 'es'] as const;

export const TranscriptQuery = strict({
  format: Type.Optional(oneOf(['TEXT', 'HTML'], 'The format of the file; by default TEXT')),
  notes: Type.Optional(plain.flag("true: with the team's notes. By default they are left out")),
  language: Type.Optional(oneOf(TRANSCRIPT_LANGUAGES, "The language of dates and labels; by default the company's")),
  time_zone: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: "The IANA time zone of the times; by default the company's",
    }),
  ),
});
export type TranscriptQuery = Static<typeof TranscriptQuery>;

const text = { schema: { type: 'string' } };
export const TRANSCRIPT_ANSWER = Type.Unsafe<Readable>({
  description: 'The messages, the oldest first',
  content: { 'text/plain': text, 'text/html': text },
});
