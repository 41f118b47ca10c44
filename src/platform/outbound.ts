/**
 * Makes all outgoing HTTP calls. Each call is a single attempt over HTTP/1.1: redirects are not followed, nothing is retried or
 * decompressed, proxy variables are ignored, and the caller's signal limits DNS, connect, TLS, headers and body together.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { BlockList, Socket } from 'node:net';
import { Agent, Pool, type buildConnector, type Dispatcher } from 'undici';
import { append, EMPTY, joinedHeaders, type Reading } from './outbound-answer.ts';
import { createAddressGuard, dial, createExaminer, NOT_PUBLIC, refuseHost, type DialStage } from './address-guard.ts';

export interface OutboundRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  url: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  signal: AbortSignal;
  maxBytes: number;
}

/** `body`: at most `maxBytes` as they were received. `truncated`: the body was longer, or the connection broke after the status. */
export interface OutboundResponse {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
  truncated: boolean;
}

/**
 * BLOCKED: the platform refused the address or the request · DNS: the name did not resolve · CONNECT: no connection was established
 * TLS: the handshake failed · TIMEOUT: the signal fired before a status arrived · SOCKET: an established connection broke or was not HTTP
 */
export type OutboundErrorKind = 'BLOCKED' | 'DNS' | 'CONNECT' | 'TLS' | 'TIMEOUT' | 'SOCKET';

/** Explains why a call got no status. The message contains no address, so it may be shown to the tenant; `cause` is for the operator. */
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

export interface Outbound {
  /** Calls a URL that a tenant chose; the socket connects only to allowed addresses. */
  tenant(request: OutboundRequest): Promise<OutboundResponse>;
  /** Calls a URL that the operator configured, such as the Graph API, without the address guard. */
  operator(request: OutboundRequest): Promise<OutboundResponse>;
  /** Checks a URL before it is stored: null when it is acceptable, else one sentence that says what is wrong. */
  refuse(url: string): Promise<string | null>;
  /** Ends every connection at once; calls in flight fail. */
  close(): Promise<void>;
}

/** Connections per origin: as many as the platform's delivery slots, so that no delivery waits for a connection. */
const CONNECTIONS = 64;
/**
 * Idle sockets are closed before peers close them, which they do after 5 s or later: a request on a socket that the peer has just closed
 * would have an unknown outcome.
 */
const KEEP_ALIVE_MS = 4000;
/** The same limit that Node has for servers; long cookies fit, a flood of headers does not. */
const MAX_HEADER_BYTES = 16_384;
/** With slices of this size a flood of headers costs 3 ms instead of 200, and a body of 50 MB takes at most 40 ms longer (measured). */
const SLICE_BYTES = 512;
/** Honest servers send one or two interim responses (102, 103) before the final one. */
const MAX_INTERIM_RESPONSES = 16;
/** Headers that undici or the connection sets. If a tenant could set them, the request might reach another host. */
const RESERVED_HEADERS =
  /^(host|connection|content-length|expect|keep-alive|te|trailer|transfer-encoding|upgrade)$|^proxy-/;

/**
 * Opens the door. `allow`: CIDRs that tenants may reach although they are private (throws an Error on a bad one). `trusted`: addresses
 * that skip the guard with all that is below them; nothing else of their servers may be called by a tenant. `connections`: per origin.
 */
export function createOutbound(options: { allow: string[]; trusted: string[]; connections?: number }): Outbound {
  const guard = createAddressGuard(options.allow);
  const trusted = options.trusted.map((place) => new URL(place));
  const connections = options.connections ?? CONNECTIONS;
  const guarded = openDoor(connections, guard.blockList);
  const open = openDoor(connections);
  const checkUrl = createExaminer(guard, trusted);
  return {
    async tenant(request) {
      const { url, wrong, skipsGuard } = checkUrl(request.url);
      if (wrong !== null) throw new OutboundError('BLOCKED', false, wrong);
      return attempt(skipsGuard ? open : guarded, url, request);
    },
    async operator(request) {
      return attempt(open, new URL(request.url), request);
    },
    async refuse(text) {
      const { url, wrong, skipsGuard } = checkUrl(text);
      if (wrong !== null || skipsGuard) return wrong;
      return refuseHost(url, guard);
    },
    async close() {
      await Promise.all([guarded.agent.destroy(), open.agent.destroy()]);
    },
  };
}

interface Door {
  agent: Agent;
  /** Errors of connections that were never established, each with the stage at which it failed. */
  failedDials: WeakMap<Error, DialStage>;
  /** The attempt that is calling dispatch() right now. A connection that is opened meanwhile is opened for this attempt. */
  dispatching: Attempt | null;
}

function openDoor(connections: number, blockList?: BlockList): Door {
  const connect: buildConnector.connector = (target, callback) => {
    const caller = door.dispatching;
    const abandon = dial(target, blockList, (result, stage) => {
      if (!(result instanceof Error)) return callback(null, readInSlices(result));
      door.failedDials.set(result, stage);
      callback(result, null);
    });
    if (caller !== null) caller.abandonDial = abandon;
  };
  const agent = new Agent({
    connect,
    connections,
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: 0, // the caller's signal is the one clock
    bodyTimeout: 0,
    // Always a pool, also for one connection: a client would queue several requests on one connection attempt, and giving up one would fail
    // all.
    factory: (origin, poolOptions) => new Pool(origin, poolOptions),
  });
  const door: Door = { agent, failedDials: new WeakMap(), dispatching: null };
  return door;
}

/**
 * Limits how many bytes one read returns. undici parses all of them, even after the header limit is exceeded, and creates an Error for
 * each further header: 64 kB of small headers cost 200 ms.
 */
function readInSlices(socket: Socket): Socket {
  const read = socket.read.bind(socket);
  socket.read = () => (socket.destroyed ? null : read(Math.min(socket.readableLength, SLICE_BYTES) || undefined));
  return socket;
}

/** The state of one request in flight. */
interface Attempt extends Reading {
  request: OutboundRequest;
  settled: boolean;
  /** Set right before undici writes the request. From then on bytes may have been sent. */
  controller: Dispatcher.DispatchController | null;
  abandonDial: (() => void) | null;
  status: number;
  headers: IncomingHttpHeaders;
  interimResponses: number;
}

type End = 'complete' | 'cut' | OutboundError;

function attempt(door: Door, url: URL, request: OutboundRequest): Promise<OutboundResponse> {
  return new Promise((resolve, reject) => {
    const state: Attempt = {
      request,
      settled: false,
      controller: null,
      abandonDial: null,
      status: 0,
      headers: {},
      interimResponses: 0,
      body: EMPTY,
      length: 0,
    };
    /** Settles the call once. After a status was received, any failure gives a truncated response instead of an error. */
    const settle = (end: End) => {
      if (state.settled) return;
      state.settled = true;
      request.signal.removeEventListener('abort', onAbort);
      const { status, headers, body, length } = state;
      if (end instanceof OutboundError && status === 0) return reject(end);
      resolve({
        status,
        // A getter, because most callers use no headers.
        get headers() {
          return joinedHeaders(headers);
        },
        body: body.subarray(0, length),
        truncated: end !== 'complete',
      });
    };
    const onAbort = () => {
      settle(timedOut(state));
      state.controller?.abort(new Error('the caller gave up'));
      if (state.controller === null) state.abandonDial?.();
    };
    const options = dispatchOptions(url, request);
    if (request.signal.aborted) return settle(timedOut(state));
    request.signal.addEventListener('abort', onAbort);
    door.dispatching = state;
    door.agent.dispatch(
      options,
      createHandler(state, settle, (error) => explain(error, state, door)),
    );
    door.dispatching = null;
  });
}

function dispatchOptions(url: URL, { method, headers = {}, body }: OutboundRequest): Dispatcher.DispatchOptions {
  // Compressed responses are not supported, so none are requested. undici takes names and values in turn.
  const sent = ['accept-encoding', 'identity'];
  for (const [name, value] of Object.entries(headers)) {
    const lowerCased = name.toLowerCase();
    if (RESERVED_HEADERS.test(lowerCased)) {
      throw new OutboundError('BLOCKED', false, `The header ${lowerCased} must not be set.`);
    }
    if (lowerCased !== 'accept-encoding') sent.push(name, value);
  }
  return {
    origin: url.origin,
    path: url.pathname + url.search,
    method,
    headers: sent,
    body: body ?? null,
  };
}

function createHandler(
  state: Attempt,
  settle: (end: End) => void,
  explained: (error: Error) => OutboundError,
): Dispatcher.DispatchHandler {
  return {
    onRequestStart(controller) {
      // Thrown before undici writes a byte, when the request was given up meanwhile or undici would send it a second time.
      if (state.settled || state.controller !== null) throw new Error('one attempt only');
      state.controller = controller;
    },
    onResponseStart(controller, status, headers) {
      if (status < 200) {
        state.interimResponses += 1;
        if (state.interimResponses > MAX_INTERIM_RESPONSES) controller.abort(new Error('too many interim responses'));
        return;
      }
      state.status = status;
      state.headers = headers;
    },
    onResponseData(controller, chunk) {
      append(state, chunk, state.request.maxBytes);
      if (state.length <= state.request.maxBytes) return;
      state.length = state.request.maxBytes;
      settle('cut');
      controller.abort(new Error('enough was read'));
    },
    onResponseEnd: () => settle('complete'),
    onResponseError: (_controller, error) => settle(explained(error)),
  };
}

function timedOut(state: Attempt): OutboundError {
  return new OutboundError(
    'TIMEOUT',
    state.controller !== null,
    'No answer came in time.',
    state.request.signal.reason,
  );
}

function explain(error: Error, state: Attempt, door: Door): OutboundError {
  const sent = state.controller !== null;
  const stage = door.failedDials.get(error);
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  if (stage === 'TLS') return new OutboundError('TLS', sent, `The TLS handshake failed${inBrackets(code)}.`, error);
  if (stage === 'TCP') {
    if (code === 'ERR_IP_BLOCKED') return new OutboundError('BLOCKED', sent, NOT_PUBLIC, error);
    // ENOTFOUND without a system call means that the resolver returned an empty list.
    const isDns = syscall === 'getaddrinfo' || code === 'ENOTFOUND';
    if (isDns) return new OutboundError('DNS', sent, `The host name did not resolve${inBrackets(code)}.`, error);
    return new OutboundError('CONNECT', sent, `The connection was not established${inBrackets(code)}.`, error);
  }
  if (!sent && (code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED')) {
    return new OutboundError('BLOCKED', sent, 'The request has a header or a URL that HTTP does not allow.', error);
  }
  return new OutboundError('SOCKET', sent, `The connection broke before the answer${inBrackets(code)}.`, error);
}

function inBrackets(code: string): string {
  return code === '' ? '' : ` (${code})`;
}
