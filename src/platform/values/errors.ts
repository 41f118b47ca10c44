/**
 * The table of every error that a caller can see, with its status and title. Any other error is answered as
 * INTERNAL_ERROR without a detail. docs/errors.md has a section for each code; scripts/check-docs.ts checks that. The processes that read
 * files load this file, too, so it imports nothing; the schema of the answer is in problem.ts.
 */
export const ERRORS = {
  VALIDATION_FAILED: { status: 400, title: 'The request is not valid' },
  MALFORMED_BODY: { status: 400, title: 'The body cannot be read' },
  UNKNOWN_REFERENCE: { status: 400, title: 'A referenced record does not exist' },
  COMPANY_ID_REQUIRED: { status: 400, title: 'A global key needs the header x-company-id' },
  TARGET_NOT_ALLOWED: { status: 400, title: 'The address is not allowed' },
  CHANNEL_CONFIG_REQUIRED: { status: 400, title: 'Settings of the channel are missing' },
  TEMPLATE_NOT_SENDABLE: { status: 400, title: 'The template cannot be sent' },
  TEMPLATES_NOT_SUPPORTED: { status: 400, title: 'The channel does not support templates' },
  CONTENT_NOT_SUPPORTED: { status: 400, title: 'The channel cannot send this content' },
  LOG_IN_NOT_SUPPORTED: { status: 400, title: 'The channel does not support a log-in at its network' },
  NETWORK_REFUSED: { status: 400, title: 'The network rejected the request' },
  INVALID_RESET_TOKEN: { status: 400, title: 'The link is invalid, used or expired' },
  PASSWORD_REQUIRED: { status: 400, title: 'Set a password first' },
  UNAUTHORIZED: { status: 401, title: 'The token is invalid or expired' },
  IDENTITY_REFUSED: { status: 401, title: 'The identity of the visitor could not be verified' },
  IDENTITY_REQUIRED: { status: 401, title: 'The chat is only for visitors identified by the site' },
  INVALID_CREDENTIALS: { status: 401, title: 'Wrong e-mail or password' },
  SECOND_FACTOR_REQUIRED: { status: 401, title: 'The log-in also needs a code' },
  BAD_SIGNATURE: { status: 401, title: 'The signature does not match the body' },
  ORIGIN_NOT_ALLOWED: { status: 403, title: 'Pages of this site cannot use the chat' },
  SINGLE_SIGN_ON_FAILED: { status: 403, title: 'The log-in by single sign-on failed' },
  SECOND_FACTOR_MISSING: { status: 403, title: 'Set up two-factor log-in first' },
  FORBIDDEN: { status: 403, title: 'No permission for this operation' },
  NOT_FOUND: { status: 404, title: 'Not found' },
  METHOD_NOT_ALLOWED: { status: 405, title: 'The path does not support this method' },
  REQUEST_TIMEOUT: { status: 408, title: 'The request took too long to arrive' },
  CHANNEL_IN_USE: { status: 409, title: 'Another inbox already uses this number' },
  INSTANCE_EXISTS: { status: 409, title: 'Another inbox already has this door_name' },
  WEBHOOK_EXISTS: { status: 409, title: 'The company already has a webhook' },
  WEBHOOK_INACTIVE: { status: 409, title: 'The webhook is inactive' },
  DELIVERY_ERASED: { status: 409, title: 'The content of the delivery has been erased' },
  SECOND_FACTOR_EXISTS: { status: 409, title: 'Two-factor log-in is already set up' },
  USER_EXISTS: { status: 409, title: 'A user of the company already has this e-mail' },
  LAST_OWNER: { status: 409, title: 'A company needs at least one active owner' },
  CONTACT_EXISTS: { status: 409, title: 'Another contact already has this value' },
  FIELD_EXISTS: { status: 409, title: 'A custom field already has this slug' },
  QUICK_REPLY_EXISTS: { status: 409, title: 'A quick reply already has this shortcut' },
  TEAM_EXISTS: { status: 409, title: 'Another team has this name' },
  VIEW_EXISTS: { status: 409, title: 'Another view or segment has this name' },
  PIPELINE_IS_DEFAULT: { status: 409, title: 'The default pipeline cannot be removed' },
  STEP_IN_USE: { status: 409, title: 'Conversations are in a step that would be removed' },
  NO_CONVERSATION: { status: 409, title: 'The visitor has not written yet' },
  CONVERSATION_OPEN: { status: 409, title: 'The contact has another open conversation in this inbox' },
  TABLE_EXISTS: { status: 409, title: 'A table already has this slug' },
  IMPORTS_WAITING: { status: 409, title: 'Too many imports are in progress' },
  CAMPAIGN_STATE: { status: 409, title: 'The status of the campaign does not allow this' },
  ENROLLMENT_ENDED: { status: 409, title: 'The enrollment has ended' },
  RUNS_WAITING: { status: 409, title: 'Too many bulk changes are in progress' },
  REPLAY_RUNNING: { status: 409, title: 'A replay of deliveries is in progress' },
  COLUMN_IN_USE: { status: 409, title: 'The change would lose values of rows' },
  FOLLOW_UP_ENDED: { status: 409, title: 'The follow-up has been sent or cancelled, or is being sent' },
  SCHEDULED_MESSAGE_ENDED: { status: 409, title: 'The message has been sent or cancelled, or is being sent' },
  MESSAGE_NOT_REVOCABLE: { status: 409, title: 'The message cannot be deleted for everyone' },
  MCP_NOT_ENABLED: { status: 409, title: 'MCP servers are not enabled for the company' },
  AI_NOT_ENABLED: { status: 409, title: 'AI is not enabled for this' },
  AI_FAILED: { status: 409, title: 'The model wrote nothing that can be used' },
  AGENT_IN_USE: { status: 409, title: 'An inbox, a campaign or a conversation uses this agent' },
  ATTACHMENT_IN_USE: { status: 409, title: 'The attachment is in use' },
  QUOTA_EXCEEDED: { status: 409, title: 'The company has reached its storage quota' },
  IDEMPOTENCY_IN_FLIGHT: { status: 409, title: 'The first request with this Idempotency-Key is still running' },
  FILE_GONE: { status: 410, title: 'The file is not available' },
  BODY_TOO_LARGE: { status: 413, title: 'The body is too large' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: 'The content type is not supported' },
  RANGE_NOT_SATISFIABLE: { status: 416, title: 'The range is outside the file' },
  IDEMPOTENCY_KEY_REUSED: { status: 422, title: 'The Idempotency-Key was used for another request' },
  RATE_LIMITED: { status: 429, title: 'Too many requests' },
  HEADERS_TOO_LARGE: { status: 431, title: 'The headers are too large' },
  INTERNAL_ERROR: { status: 500, title: 'Something went wrong on our side' },
  UNAVAILABLE: { status: 503, title: 'The service is temporarily unavailable' },
  STORAGE_FULL: { status: 503, title: 'The disk is full; writing is paused' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ErrorCode = keyof typeof ERRORS;

export interface FieldError {
  /** Where in the request: `a.b[0]`; a path or query parameter by its name. */
  path: string;
  code: string;
  message: string;
}

/** An error that is shown to the caller, including its `detail`. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly errors: FieldError[];
  readonly headers: Record<string, string>;
  /** The id of the record that already has the requested value; see `alreadyTaken`. */
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

/** Returns the record. Throws NOT_FOUND when there is none. */
export function expectFound<R>(record: R | null | undefined): R {
  if (record === null || record === undefined) throw notFound();
  return record;
}

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
  const message = 'refers to a record that does not exist';
  return new AppError('UNKNOWN_REFERENCE', `${path} ${message}`, [{ path, code: 'UNKNOWN_REFERENCE', message }]);
}

/** Makes the same error for fields that the request has inside of the property `parent`. */
export function insideOf(parent: string, error: AppError): AppError {
  const errors = error.errors.map((each) => ({ ...each, path: `${parent}.${each.path}` }));
  return new AppError(error.code, `${parent}.${error.message}`, errors);
}

/** Names the fields in the errors of a check by their place in the request. */
export async function checkInside<T>(parent: string, check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (error) {
    // Failure policy: the error is thrown on, with other paths.
    throw error instanceof AppError && error.status === 400 ? insideOf(parent, error) : error;
  }
}

/**
 * Makes the error for a value that must be unique and belongs to another record already. `existingId` is the id of that record, if the
 * caller may see it.
 */
export function alreadyTaken(code: ErrorCode, path: string, existingId: string | null = null): AppError {
  const message = 'already belongs to another record';
  const error = new AppError(code, undefined, [{ path, code, message }]);
  error.existingId = existingId;
  return error;
}
