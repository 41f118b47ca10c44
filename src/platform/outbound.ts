/**
 * The one door to the network. Every outgoing call is one attempt over HTTP/1.1: no redirect is followed, nothing is
 * repeated or inflated, no proxy variable is read, and the caller's signal spans DNS, connect, TLS, headers and body.
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

/** `body`: at most `maxBytes`, as received. `truncated`: more was to come, or the answer broke off after its status. */
export interface OutboundResponse {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
  truncated: boolean;
}

/**
 * BLOCKED: refused here, by address or by the request's own form · DNS · CONNECT: never established · TLS: the handshake
 * failed · TIMEOUT: the signal fired before a status came · SOCKET: broke, or was not HTTP, after it was established.
 */
export type OutboundErrorKind = 'BLOCKED' | 'DNS' | 'CONNECT' | 'TLS' | 'TIMEOUT' | 'SOCKET';

/** Why there is no status. The message names no address, so it may be shown to the tenant; `cause` is for the operator. */
export class OutboundError extends Error {
  readonly kind: OutboundErrorKind;
  /** False only when certainly no byte of the request left. */
  readonly sent: boolean;

  constructor(kind: OutboundErrorKind, sent: boolean, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'OutboundError';
    this.kind = kind;
    this.sent = sent;
  }
}

export interface Outbound {
  /** To an address that a tenant gave: guarded at the socket. */
  tenant(request: OutboundRequest): Promise<OutboundResponse>;
  /** To an address that the operator configured (the Graph API): not guarded. */
  operator(request: OutboundRequest): Promise<OutboundResponse>;
  /** Check at save: null when acceptable, else one sentence saying what is wrong. */
  refuse(url: string): Promise<string | null>;
  /** Ends every connection at once; calls in flight fail. */
  close(): Promise<void>;
}

/** As many as the platform's delivery slots, so that the pool is never what a delivery waits for. Per origin. */
const CONNECTIONS = 64;
/** A reused socket that the peer has just closed would turn into an unknown outcome; peers close after 5 s and more. */
const KEEP_ALIVE_MS = 4000;
/** Node's own default for a server; a page of cookies fits, a flood does not. */
const MAX_HEADER_BYTES = 16_384;
/** Measured: a flood of headers then costs 3 ms instead of 200, and a body of 50 MB the same within 40 ms. */
const SLICE_BYTES = 512;
/** Honest servers send one or two (102, 103) before the answer. */
const MAX_INTERIM_RESPONSES = 16;
/** Set by undici or by the connection; given by a tenant they could point the request at another host. */
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
  /** Errors of connections that never came to be, each with the stage at which it failed. */
  failedDials: WeakMap<Error, DialStage>;
  /** The attempt whose dispatch is on the stack: a socket that is dialled meanwhile is dialled for it. */
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
    // Always a pool: a single client would queue several requests on one dial, and giving one up would fail them all.
    factory: (origin, poolOptions) => new Pool(origin, poolOptions),
  });
  const door: Door = { agent, failedDials: new WeakMap(), dispatching: null };
  return door;
}

/**
 * undici parses all that one read returns, also behind the header that broke its limit, and makes an Error with a stack for each further
 * one: 64 kB of small headers cost 200 ms. So it is given little at a time.
 */
function readInSlices(socket: Socket): Socket {
  const read = socket.read.bind(socket);
  socket.read = () => (socket.destroyed ? null : read(Math.min(socket.readableLength, SLICE_BYTES) || undefined));
  return socket;
}

/** One request on its way. */
interface Attempt extends Reading {
  request: OutboundRequest;
  settled: boolean;
  /** Set by undici right before it writes the request: from here on bytes may have left. */
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
    /** The status decides: whatever happens after it is a truncated response, never an error. */
    const settle = (end: End) => {
      if (state.settled) return;
      state.settled = true;
      request.signal.removeEventListener('abort', onAbort);
      const { status, headers, body, length } = state;
      if (end instanceof OutboundError && status === 0) return reject(end);
      resolve({
        status,
        // Most callers look at none.
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
  // Nothing here inflates, so nothing compressed is asked for. Names and values in turn, as undici takes them.
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
      // Thrown before undici writes a byte: the request was given up meanwhile, or would leave a second time.
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
    // ENOTFOUND without a system call: the resolver answered with an empty list.
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
