/** Sends a request until it is answered, as long as a repetition can do nothing twice. */
import { makeNoAnswerError, readError, type AnyParleyError } from './errors.ts';
import type { ClientOptions, Operation } from './operation.ts';
import { makeAttempt, type PreparedRequest } from './request.ts';

const TIMEOUT_MS = 60_000;
/** A file takes its time to arrive, and a bulk call sends all its messages before it answers. */
const FORM_TIMEOUT_MS = 600_000;
/** Longer than the 15 s after which the Idempotency-Key of a process that died is free again. */
const REPEAT_FOR_MS = 60_000;
/** Answers of gateways whose platform did not answer them. */
const GATEWAY_STATUSES = [502, 504];

interface Failure {
  error: AnyParleyError;
  /** Undefined when the platform names no time. */
  retryAfterMs: number | undefined;
  isRepeatable: boolean;
}

/**
 * Returns what `read` makes of the answer, which is a success. Throws a ParleyError, or the reason of the caller's signal. A success is
 * never repeated, also when it is a message that is still QUEUED.
 */
export async function callUntilAnswered<T>(
  client: ClientOptions,
  request: PreparedRequest,
  read: (response: Response, attempts: number) => Promise<T>,
): Promise<T> {
  const { options } = request;
  const repeatForMs = options.repeatForMs ?? client.repeatForMs ?? REPEAT_FOR_MS;
  let deadlineMs: number | null = null;
  for (let attempts = 1; ; attempts += 1) {
    const outcome = await attempt(client, request, (response) => read(response, attempts), attempts);
    if (!('error' in outcome)) return outcome.value;
    deadlineMs ??= performance.now() + repeatForMs;
    const pauseMs = findPauseMs(attempts, outcome.retryAfterMs);
    if (!outcome.isRepeatable || performance.now() + pauseMs > deadlineMs) throw outcome.error;
    await pause(pauseMs, options.signal);
  }
}

async function attempt<T>(
  client: ClientOptions,
  request: PreparedRequest,
  read: (response: Response) => Promise<T>,
  attempts: number,
): Promise<{ value: T } | Failure> {
  const { operation, options } = request;
  const usualMs = client.timeoutMs ?? (operation.body === 'form' ? FORM_TIMEOUT_MS : TIMEOUT_MS);
  const timeout = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, timeout.signal]) : timeout.signal;
  // An address or a token that no request can have is a mistake of the caller and throws here, without a repetition.
  const sent = await makeAttempt(client, request, signal);
  const timer = setTimeout(() => timeout.abort(new Error('The attempt took too long')), options.timeoutMs ?? usualMs);
  try {
    const response = await (client.fetch ?? fetch)(sent);
    if (response.ok) return { value: await read(response) };
    return await describeFailure(response, operation, attempts);
  } catch (cause) {
    options.signal?.throwIfAborted();
    // Failure policy: a connection that failed, broke off or took too long is repeated; any other error is thrown as it is.
    if (!timeout.signal.aborted && !isConnectionError(cause)) throw cause;
    return {
      error: makeNoAnswerError(cause, attempts),
      retryAfterMs: undefined,
      isRepeatable: doesNothingTwice(operation),
    };
  } finally {
    clearTimeout(timer);
  }
}

async function describeFailure(response: Response, operation: Operation, attempts: number): Promise<Failure> {
  const error = await readError(response, attempts);
  const { status } = response;
  const hasNotBegun = status === 429;
  const mayPass = status === 503 || GATEWAY_STATUSES.includes(status) || error.code === 'IDEMPOTENCY_IN_FLIGHT';
  return {
    error,
    retryAfterMs: readRetryAfterMs(response.headers.get('retry-after')),
    isRepeatable: hasNotBegun || (mayPass && doesNothingTwice(operation)),
  };
}

/** fetch and the reading of a body throw a TypeError when the connection fails. */
export const isConnectionError = (cause: unknown): boolean => cause instanceof TypeError;

/** All methods but POST leave the same state when they are repeated, and a POST does so with an Idempotency-Key. */
const doesNothingTwice = ({ method, key }: Operation): boolean => method !== 'POST' || key === true;

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 8_000;

/** Doubles the pause each time. Chance keeps clients apart that failed at the same moment, also behind the same Retry-After. */
export function findPauseMs(attempts: number, retryAfterMs: number | undefined): number {
  const usualMs = Math.min(FIRST_PAUSE_MS * 2 ** (attempts - 1), LONGEST_PAUSE_MS);
  return retryAfterMs === undefined
    ? usualMs * (0.5 + Math.random() / 2)
    : retryAfterMs + Math.random() * FIRST_PAUSE_MS;
}

/** Reads seconds or a date. */
export function readRetryAfterMs(value: string | null): number | undefined {
  if (value === null) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** Waits, unless the signal ends it; then it throws the signal's reason. */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });
  signal?.throwIfAborted();
}
