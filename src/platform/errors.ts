/**
 * The table of every error that a caller can see, with its status and title. Any other error is answered as
 * INTERNAL_ERROR without a detail. docs/errors.md has a section for each code; scripts/check-docs.ts checks that.
 */
import { Type, type Static } from 'typebox';
import { define } from './schema.ts';

export const ERRORS = {
  VALIDATION_FAILED: { status: 400, title: 'The request is not valid' },
  MALFORMED_BODY: { status: 400, title: 'The body can not be read' },
  UNKNOWN_REFERENCE: { status: 400, title: 'A reference points to nothing' },
  AMBIGUOUS_PHONE: { status: 400, title: 'The phone number can be read in two ways' },
  COMPANY_ID_REQUIRED: { status: 400, title: 'A global key needs the header x-company-id' },
  TARGET_NOT_ALLOWED: { status: 400, title: 'The address can not be called' },
  ANSWER_TOO_LARGE: { status: 400, title: 'The answer would be too large' },
  CHANNEL_CONFIG_REQUIRED: { status: 400, title: 'The channel needs settings that are missing' },
  INVALID_RESET_TOKEN: { status: 400, title: 'The link is invalid, used, or has expired' },
  PASSWORD_REQUIRED: { status: 400, title: 'A password has to be set first' },
  UNAUTHORIZED: { status: 401, title: 'The token is invalid or has expired' },
  INVALID_CREDENTIALS: { status: 401, title: 'The e-mail or the password is wrong' },
  BAD_SIGNATURE: { status: 401, title: 'The signature does not match the body' },
  FORBIDDEN: { status: 403, title: 'No permission for this operation' },
  NOT_FOUND: { status: 404, title: 'Not found' },
  METHOD_NOT_ALLOWED: { status: 405, title: 'The path does not take this method' },
  REQUEST_TIMEOUT: { status: 408, title: 'The request took too long to arrive' },
  CHANNEL_IN_USE: { status: 409, title: 'Another inbox owns this network number' },
  WEBHOOK_EXISTS: { status: 409, title: 'The company already has a webhook' },
  WEBHOOK_INACTIVE: { status: 409, title: 'The webhook is inactive' },
  DELIVERY_ERASED: { status: 409, title: 'What was sent has been erased' },
  USER_EXISTS: { status: 409, title: 'The e-mail already belongs to a user of the company' },
  LAST_OWNER: { status: 409, title: 'A company keeps at least one active owner' },
  CONTACT_EXISTS: { status: 409, title: 'Another contact has this value' },
  FIELD_EXISTS: { status: 409, title: 'The slug already belongs to a custom field' },
  PIPELINE_IS_DEFAULT: { status: 409, title: 'The default pipeline can not be removed' },
  STEP_IN_USE: { status: 409, title: 'Conversations are in a step that would be removed' },
  CONVERSATION_OPEN: { status: 409, title: 'The contact has another open conversation in this inbox' },
  TABLE_EXISTS: { status: 409, title: 'The slug already belongs to a table' },
  IMPORTS_WAITING: { status: 409, title: 'Too many imports have not ended yet' },
  COLUMN_IN_USE: { status: 409, title: 'Rows hold what the change would lose' },
  QUOTA_EXCEEDED: { status: 409, title: 'The company stores as much as it may' },
  IDEMPOTENCY_IN_FLIGHT: { status: 409, title: 'The first request with this Idempotency-Key is still running' },
  BODY_TOO_LARGE: { status: 413, title: 'The body is too large' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: 'The content type is not supported' },
  IDEMPOTENCY_KEY_REUSED: { status: 422, title: 'The Idempotency-Key was used for another request' },
  RATE_LIMITED: { status: 429, title: 'Too many requests' },
  HEADERS_TOO_LARGE: { status: 431, title: 'The headers are too large' },
  INTERNAL_ERROR: { status: 500, title: 'Something went wrong on our side' },
  UNAVAILABLE: { status: 503, title: 'The service is not available right now' },
  STORAGE_FULL: { status: 503, title: 'The disk is full; nothing can be written right now' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ErrorCode = keyof typeof ERRORS;

const FieldError = Type.Object({
  path: Type.String({ description: 'Where in the request: a.b[0]; a path or query parameter by its name' }),
  code: Type.String(),
  message: Type.String(),
});
export type FieldError = Static<typeof FieldError>;

/** The body of every error answer (RFC 9457). */
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
export type Problem = Static<typeof Problem>;

/** An error that is shown to the caller, including its `detail`. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly errors: FieldError[];
  readonly headers: Record<string, string>;
  /** The id of the record that already has the requested value; see `alreadyHeld`. */
  existingId: string | null = null;

  constructor(code: ErrorCode, detail?: string, errors: FieldError[] = [], headers: Record<string, string> = {}) {
    super(detail ?? ERRORS[code].title);
    this.code = code;
    this.errors = errors;
    this.headers = headers;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }
}

/** Makes the error for a record that does not exist, which is the same as for a record of another company. */
export const notFound = (): AppError => new AppError('NOT_FOUND', 'No such resource');

// The retry-after seconds of STORAGE_FULL: an operator has to free disk space, which takes a while.
const STORAGE_RETRY_SECONDS = '10';

/** Makes the error for a write while the disk is full. */
export const storageFull = (): AppError =>
  new AppError('STORAGE_FULL', undefined, [], { 'retry-after': STORAGE_RETRY_SECONDS });

/** Makes the error for a write that would exceed the quota of the company; the detail says how much the company may store. */
export const quotaExceeded = (detail?: string): AppError => new AppError('QUOTA_EXCEEDED', detail);

export function invalid(path: string, message: string, code = 'INVALID'): AppError {
  return new AppError('VALIDATION_FAILED', `${path} ${message}`, [{ path, code, message }]);
}

/**
 * Makes the error for a caller without the right; `path` names the field that the caller may not set, or is `authorization` when the token
 * does not allow the operation at all.
 */
export function forbidden(path: string, message: string, code = 'FORBIDDEN'): AppError {
  return new AppError('FORBIDDEN', message, [{ path, code, message }]);
}

export const scopeMissing = (scope: string): AppError =>
  forbidden('authorization', `The scope ${scope} is missing`, 'SCOPE_MISSING');

/** Makes the error for an unknown id in a body or filter, which is the same as for an id of another company. */
export function unknownReference(path: string): AppError {
  const message = 'points to nothing';
  return new AppError('UNKNOWN_REFERENCE', `${path} ${message}`, [{ path, code: 'UNKNOWN_REFERENCE', message }]);
}

/**
 * Makes the error for a value that must be unique and belongs to another record already. `existingId` is the id of that record, if the
 * caller may see it.
 */
export function alreadyHeld(code: ErrorCode, path: string, existingId: string | null = null): AppError {
  const message = 'already belongs to another record';
  const error = new AppError(code, undefined, [{ path, code, message }]);
  error.existingId = existingId;
  return error;
}

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
