/** The ways in which an outgoing call or connection can fail. */
import type { DialStage } from './dial.ts';

/**
 * BLOCKED: the platform refused the address or the request · DNS: the name did not resolve · CONNECT: no connection was established
 * TLS: the TLS handshake failed · TIMEOUT: the call was aborted by its time limit · SOCKET: an established connection broke, or the answer
 * was not HTTP · BODY: the stream of the request's body failed or had another length than announced · TOO_LARGE: the answer exceeded `maxBytes`
 */
export type OutboundErrorKind = 'BLOCKED' | 'DNS' | 'CONNECT' | 'TLS' | 'TIMEOUT' | 'SOCKET' | 'BODY' | 'TOO_LARGE';

/**
 * Explains why a call got no answer, or only a part of it. The message contains no address, so it may be shown to the tenant; `cause` is
 * for the operator.
 */
export class OutboundError extends Error {
  readonly kind: OutboundErrorKind;
  /** False only when it is certain that no byte of the request was sent. */
  readonly sent: boolean;

  constructor(kind: OutboundErrorKind, sent: boolean, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'OutboundError';
    this.kind = kind;
    this.sent = sent;
  }
}

/** Names the setting, because many who read this run the platform themselves. */
export const NOT_PUBLIC =
  'The host is not a public Internet address; the operator can allow it with the setting OUTBOUND_ALLOW.';

/** Explains why a connection was not established. */
export function explainDialError(error: Error, stage: DialStage, sent: boolean): OutboundError {
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  if (stage === 'TLS') return new OutboundError('TLS', sent, `The TLS handshake failed${inBrackets(code)}.`, error);
  if (code === 'ERR_IP_BLOCKED') return new OutboundError('BLOCKED', sent, NOT_PUBLIC, error);
  // ENOTFOUND without a system call means that the resolver returned an empty list.
  const isDns = syscall === 'getaddrinfo' || code === 'ENOTFOUND';
  if (isDns) return new OutboundError('DNS', sent, `The host name did not resolve${inBrackets(code)}.`, error);
  return new OutboundError('CONNECT', sent, `The connection could not be established${inBrackets(code)}.`, error);
}

/** Explains why an established connection brought no answer, or only a part of it. */
export function explainBrokenCall(error: Error, progress: { sent: boolean; answered: boolean }): OutboundError {
  if (error instanceof OutboundError) return error;
  const { sent, answered } = progress;
  const { code = '' } = error as NodeJS.ErrnoException;
  if (!sent && (code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED')) {
    return new OutboundError('BLOCKED', sent, 'The request has a header or a URL that HTTP does not allow.', error);
  }
  const missing = answered ? 'the answer was complete' : 'the answer';
  return new OutboundError('SOCKET', sent, `The connection broke before ${missing}${inBrackets(code)}.`, error);
}

function inBrackets(code: string): string {
  return code === '' ? '' : ` (${code})`;
}
