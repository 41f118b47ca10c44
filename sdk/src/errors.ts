/** The error that every method of the client throws, as a union by its `code`. */
import type { ErrorStatuses, Problem } from './generated/schemas.ts';

/**
 * The codes of the platform, and two of the client: NO_ANSWER (the connection failed, broke or took too long) and UNREADABLE_ANSWER (what
 * answered is not the platform, for example a proxy). A newer platform may answer further codes.
 */
export type ErrorCode = keyof ErrorStatuses | 'NO_ANSWER' | 'UNREADABLE_ANSWER';

type StatusOf<Code extends ErrorCode> = Code extends keyof ErrorStatuses ? ErrorStatuses[Code] : number | null;
type ProblemOf<Code extends ErrorCode> = Code extends keyof ErrorStatuses ? Problem : null;

export interface ErrorParts<Code extends ErrorCode> {
  code: Code;
  status: StatusOf<Code>;
  problem: ProblemOf<Code>;
  attempts: number;
}

export class ParleyError<Code extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'ParleyError';
  readonly code: Code;
  /** The HTTP status of the answer; null when there was none. */
  readonly status: StatusOf<Code>;
  /** The body of the answer: `errors` names what is wrong where, and `existing_id` the record that has the value already. */
  readonly problem: ProblemOf<Code>;
  /** How often the request was sent. A DELETE that was sent again may be NOT_FOUND because the first attempt has deleted the record. */
  readonly attempts: number;

  constructor(message: string, { code, status, problem, attempts }: ErrorParts<Code>, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.status = status;
    this.problem = problem;
    this.attempts = attempts;
  }
}

/** Every error by its code, so that `switch (error.code)` narrows it. */
export type AnyParleyError = { [Code in ErrorCode]: ParleyError<Code> }[ErrorCode];

export const isParleyError = (error: unknown): error is AnyParleyError => error instanceof ParleyError;

/** Makes the error for an answer that is no success. */
export async function readError(response: Response, attempts: number): Promise<AnyParleyError> {
  const { status } = response;
  const text = await response.text();
  const problem = /json/.test(response.headers.get('content-type') ?? '') ? readProblem(text) : null;
  if (!problem) return makeUnreadableError(`${status} ${text.slice(0, 200)}`, status, attempts);
  const parts = { code: problem.code, status, problem, attempts } as ErrorParts<keyof ErrorStatuses>;
  return new ParleyError(`${problem.code}: ${problem.detail}`, parts) as AnyParleyError;
}

export const makeUnreadableError = (text: string, status: number, attempts: number): AnyParleyError =>
  new ParleyError(`The answer is not one of the platform: ${text}`, {
    code: 'UNREADABLE_ANSWER',
    status,
    problem: null,
    attempts,
  });

export const makeNoAnswerError = (cause: unknown, attempts: number): AnyParleyError =>
  new ParleyError(
    `No answer after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`,
    { code: 'NO_ANSWER', status: null, problem: null, attempts },
    { cause },
  );

function readProblem(text: string): Problem | null {
  try {
    const body = JSON.parse(text) as Partial<Problem> | null;
    return typeof body?.code === 'string' ? (body as Problem) : null;
  } catch {
    // Failure policy: the answer is reported as unreadable, with its beginning.
    return null;
  }
}
