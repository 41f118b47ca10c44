/** The body of every error answer (RFC 9457). */
import { Type, type Static } from 'typebox';
import { ERRORS, type AppError } from '../values/errors.ts';
import { define, plain } from '../values/schema.ts';

const FieldError = Type.Object({
  path: plain.text('Where in the request: a.b[0]; the name of a path or query parameter'),
  code: plain.text('The name of the problem, for programs'),
  message: plain.text('The problem, as the end of a sentence that begins with `path`'),
});

export const Problem = define(
  'Problem',
  Type.Object({
    type: plain.text('The address of the page that explains `code`, on this platform'),
    title: plain.text('The meaning of the code, for people'),
    status: plain.integer('The HTTP status'),
    detail: plain.text('The error in this request, for people'),
    code: plain.text('Stable, UPPER_SNAKE; see docs/errors.md'),
    errors: Type.Array(FieldError, { description: 'The problems and their places, at most 20' }),
    existing_id: Type.Optional(plain.text('The record that already has the requested value')),
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
