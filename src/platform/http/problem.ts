/** The body of every error answer (RFC 9457). */
import { Type, type Static } from 'typebox';
import { ERRORS, type AppError } from '../values/errors.ts';
import { define } from '../values/schema.ts';

const FieldError = Type.Object({
  path: Type.String({ description: 'Where in the request: a.b[0]; a path or query parameter by its name' }),
  code: Type.String(),
  message: Type.String(),
});

export const Problem = define(
  'Problem',
  Type.Object({
    type: Type.String({ description: 'The address of the explanation of `code`, on this platform' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    code: Type.String({ description: 'Stable, UPPER_SNAKE; see docs/errors.md' }),
    errors: Type.Array(FieldError),
    existing_id: Type.Optional(Type.String()),
    request_id: Type.String(),
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
