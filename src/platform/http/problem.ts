/** The body of every error answer (RFC 9457). */
import { Type, type Static } from 'typebox';
import { ERRORS, type AppError } from '../values/errors.ts';
import { define, plain } from '../values/schema.ts';

const FieldError = Type.Object({
  path: plain.text('Where in the request: a.b[0]; a path or query parameter by its name'),
  code: plain.text('The name of what is wrong there, by which a program decides what to do'),
  message: plain.text('What is wrong there, as the end of a sentence that begins with `path`'),
});

export const Problem = define(
  'Problem',
  Type.Object({
    type: plain.text('The address of the explanation of `code`, on this platform'),
    title: plain.text('What the code means, for people'),
    status: plain.integer('The HTTP status'),
    detail: plain.text('What is wrong with this request, for people'),
    code: plain.text('Stable, UPPER_SNAKE; see docs/errors.md'),
    errors: Type.Array(FieldError, { description: 'What is wrong where, for at most 20 places' }),
    existing_id: Type.Optional(plain.text('The record that has what was asked for')),
    request_id: plain.text('The `x-request-id` of the request'),
  }),
);
type Problem = Static<typeof Problem>;

export function toProblem(error: AppError, requestId: string): Problem {
  const { status, title } = ERRORS[error.code];
  return {
    type: `/docs/errors#${error.code}`,
    title,
    status,
    detail: error.message,
    code: error.code,
    errors: error.errors,
    ...(error.existingId === null ? {} : { existing_id: error.existingId }),
    request_id: requestId,
  };
}
