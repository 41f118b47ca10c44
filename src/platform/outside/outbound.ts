/**
 * Makes all outgoing HTTP calls. Each call is a single attempt over HTTP/1.1: redirects are not followed, nothing is retried or
 * decompressed, proxy variables are ignored, and the caller's signal limits DNS, connect, TLS, headers and body together.
 */
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { Agent, Pool, type buildConnector, type Dispatcher } from 'undici';
import { createAddressGuard, createExaminer, findHostFault, findServerFault } from './address-guard.ts';
import { dial, type DialStage, type DialTarget, type Guarded } from './dial.ts';
import { readMailServer } from './mail-server.ts';
import { collectAnswer, type OutboundResponse, type CreateReceiver, type AnswerReceiver } from './outbound-answer.ts';
import { createNames } from './names.ts';
import { createConnector, isListed, type Connector } from './outbound-connect.ts';
import { explainBrokenCall, explainDialError, OutboundError } from './outbound-error.ts';
import {
  discardBody,
  isStreamed,
  readStreamedBody,
  streamAnswer,
  ignoreBodyErrors,
  type OutboundStream,
  type StreamedBody,
} from './outbound-stream.ts';
import { stopOnAbort } from './stop-on-abort.ts';
import { declareLimit } from '../values/limits.ts';

export interface OutboundRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  headers?: Record<string, string>;
  body?: string | Buffer | StreamedBody;
  signal: AbortSignal;
  maxBytes: number;
}

export interface Outbound {
  /** Calls a URL that a tenant chose; the socket connects only to allowed addresses. */
  tenant(request: OutboundRequest): Promise<OutboundResponse>;
  /** Calls a URL that the operator configured, such as a network's API, without the address guard. */
  operator(request: OutboundRequest): Promise<OutboundResponse>;
  /** As `tenant`, but returns once the headers have arrived, and the body as a stream. */
  streamTenant(request: OutboundRequest): Promise<OutboundStream>;
  /** As `operator`, but returns once the headers have arrived, and the body as a stream. */
  streamOperator(request: OutboundRequest): Promise<OutboundStream>;
  /** Opens a connection to a server that a tenant chose, for protocols other than HTTP. */
  connect: Connector['connect'];
  /** Checks a URL, or the address of a mail server, before it is stored. Returns null when the URL is acceptable, else one sentence that says what is wrong. */
  refuse(url: string): Promise<string | null>;
  /** Ends every connection at once; calls in flight fail. */
  close(): Promise<void>;
}

/** The most connections per origin: as many as the platform has delivery slots, so that no delivery waits for a connection. */
const CONNECTIONS = 64;
/**
 * The time after which idle sockets are closed. Peers close them after 5 s or later, and a request on a socket that the peer has just
 * closed would have an unknown outcome.
 */
const KEEP_ALIVE_MS = 4000;
/** The largest head of a response: the same limit that Node has for servers; long cookies fit, a flood of headers does not. */
const MAX_HEADER_BYTES = declareLimit(16_384, {
  topic: 'Networks',
  what: 'Response headers',
  unit: 'bytes',
  beyond: 'the call fails',
});
/** With slices of this size a flood of headers costs 3 ms instead of 200, and a body of 50 MB takes at most 40 ms longer (measured). */
const SLICE_BYTES = 512;
/** Honest servers send one or two interim responses (102, 103) before the final one. */
const MAX_INTERIM_RESPONSES = declareLimit(16, {
  topic: 'Networks',
  what: 'Interim responses (1xx) per call',
  beyond: 'the call fails',
});
/** Headers that undici or the connection sets. If a tenant could set them, the request might reach another host. */
const RESERVED_HEADERS =
  /^(host|connection|content-length|expect|keep-alive|te|trailer|transfer-encoding|upgrade)$|^proxy-/;

/**
 * Opens the client for outgoing calls. `allow`: CIDRs that tenants may reach although they are
 * private (throws an Error on a bad one). `trusted`: URLs that skip the guard with all that is
 * below them; a tenant may call nothing else of their servers. `mailServers`: addresses that skip it. `connections`: per origin.
 * `nameServers`: those that know the names of tenants; by default those of the system.
 */
export function createOutbound(options: {
  allow: string[];
  trusted: string[];
  mailServers?: string[];
  connections?: number;
  nameServers?: string[];
}): Outbound {
  const guard = createAddressGuard(options.allow);
  const trusted = options.trusted.map((place) => new URL(place));
  const connections = options.connections ?? CONNECTIONS;
  const names = createNames(options.nameServers);
  const guarded = openOutboundAgent(connections, { blockList: guard.blockList, lookup: names.lookUp });
  const open = openOutboundAgent(connections);
  const checkUrl = createExaminer(guard, trusted);
  const mailServers = (options.mailServers ?? []).map(readMailServer).filter((server) => server !== null);
  const connector = createConnector(guard, names, trusted, mailServers);
  const toTenant: ChooseAgent = (text) => {
    const { url, wrong, skipsGuard } = checkUrl(text);
    if (wrong !== null) throw new OutboundError('BLOCKED', false, wrong);
    return { client: skipsGuard ? open : guarded, url };
  };
  const toOperator: ChooseAgent = (text) => ({ client: open, url: new URL(text) });
  return {
    tenant: (request) => callOnce(request, toTenant, collectAnswer),
    operator: (request) => callOnce(request, toOperator, collectAnswer),
    streamTenant: (request) => callOnce(request, toTenant, streamAnswer),
    streamOperator: (request) => callOnce(request, toOperator, streamAnswer),
    connect: connector.connect,
    async refuse(text) {
      const server = readMailServer(text);
      if (server) return isListed(mailServers, server) ? null : findServerFault(server, { guard, names, trusted });
      const { url, wrong, skipsGuard } = checkUrl(text);
      if (wrong !== null || skipsGuard) return wrong;
      return findHostFault(url, guard, names);
    },
    async close() {
      connector.close();
      await Promise.all([guarded.agent.destroy(), open.agent.destroy()]);
    },
  };
}

/** Chooses the client for a URL. Throws an OutboundError for a URL that may not be called. */
type ChooseAgent = (url: string) => { client: OutboundAgent; url: URL };

async function callOnce<A>(request: OutboundRequest, route: ChooseAgent, receive: CreateReceiver<A>): Promise<A> {
  ignoreBodyErrors(request.body);
  try {
    const { client, url } = route(request.url);
    return await startAttempt(client, url, request, receive);
  } catch (error) {
    // A call that is refused before its attempt has not destroyed the stream of its body.
    discardBody(request.body);
    throw error;
  }
}

interface OutboundAgent {
  agent: Agent;
  /** Errors of connections that were never established, each with the stage at which it failed. */
  failedDials: WeakMap<Error, DialStage>;
  /** The attempt that is calling dispatch() right now. A connection that is opened meanwhile is opened for this attempt. */
  dispatching: CallAttempt | null;
}

function openOutboundAgent(connections: number, guarded?: Guarded): OutboundAgent {
  const connect: buildConnector.connector = (target, callback) => {
    const caller = client.dispatching;
    const abandon = dial(toDialTarget(target), guarded, (result, stage) => {
      if (!(result instanceof Error)) return callback(null, readInSlices(result));
      client.failedDials.set(result, stage);
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
    // The factory always makes a pool, even for one connection: a client would queue several requests on one connection attempt, and giving
    // up one would fail all.
    factory: (origin, poolOptions) => new Pool(origin, poolOptions),
  });
  const client: OutboundAgent = { agent, failedDials: new WeakMap(), dispatching: null };
  return client;
}

/** `port` is empty when it is the default port of the scheme. */
function toDialTarget({ hostname, port, protocol }: buildConnector.Options): DialTarget {
  const tls = protocol === 'https:';
  return { host: hostname, port: Number(port) || (tls ? 443 : 80), tls, protocols: ['http/1.1'] };
}

/**
 * Limits how many bytes one read returns. undici parses all of them, even after the header limit is exceeded, and creates an Error for
 * each further header: 64 kB of small headers cost 200 ms. A given size is respected: Node reads 0 bytes to make the stream go on.
 */
function readInSlices(socket: Socket): Socket {
  const read = socket.read.bind(socket);
  socket.read = (bytes?: number) => {
    if (socket.destroyed) return null;
    return read(bytes ?? (Math.min(socket.readableLength, SLICE_BYTES) || undefined));
  };
  return socket;
}

/** The state of one request in flight. */
interface CallAttempt {
  request: OutboundRequest;
  receiver: AnswerReceiver;
  settled: boolean;
  /** Set right before undici writes the request. From then on bytes may have been sent. */
  controller: Dispatcher.DispatchController | null;
  abandonDial: (() => void) | null;
  /** True when the final status has arrived. */
  answered: boolean;
  interimResponses: number;
  /** Ends the call once; null when the whole answer has arrived. */
  settle(error: OutboundError | null): void;
  /** Ends the call and closes its connection. */
  stop(error: OutboundError): void;
}

function startAttempt<A>(
  client: OutboundAgent,
  url: URL,
  request: OutboundRequest,
  receive: CreateReceiver<A>,
): Promise<A> {
  return new Promise((resolve, reject) => {
    const ignoreAbort = stopOnAbort(request.signal, () => state.stop(makeTimeoutError(state)));
    const state: CallAttempt = {
      request,
      receiver: receive(request.maxBytes, resolve, reject),
      settled: false,
      controller: null,
      abandonDial: null,
      answered: false,
      interimResponses: 0,
      settle(error) {
        if (state.settled) return;
        state.settled = true;
        ignoreAbort();
        discardBody(request.body);
        state.receiver.end(error);
      },
      stop(error) {
        if (state.settled) return;
        state.settle(error);
        state.controller?.abort(error);
        if (state.controller === null) state.abandonDial?.();
      },
    };
    const options = dispatchOptions(url, request);
    if (request.signal.aborted) return state.settle(makeTimeoutError(state));
    client.dispatching = state;
    client.agent.dispatch(options, createDispatchHandler(state, client));
    client.dispatching = null;
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
  const options = { origin: url.origin, path: url.pathname + url.search, method, headers: sent };
  if (!isStreamed(body)) return { ...options, body: body ?? null };
  sent.push('content-length', String(body.bytes));
  // undici reads any asynchronous iterable, but its types name only streams.
  return { ...options, body: readStreamedBody(body) as unknown as Readable };
}

function createDispatchHandler(state: CallAttempt, client: OutboundAgent): Dispatcher.DispatchHandler {
  return {
    onRequestStart(controller) {
      // This is thrown before undici writes a byte, when the request was given up meanwhile or undici would send it a second time.
      if (state.settled || state.controller !== null) throw new Error('one attempt only');
      state.controller = controller;
    },
    onResponseStart(controller, status, headers) {
      if (status < 200) {
        state.interimResponses += 1;
        if (state.interimResponses > MAX_INTERIM_RESPONSES) controller.abort(new Error('too many interim responses'));
        return;
      }
      state.answered = true;
      const flow = { pause: () => controller.pause(), resume: () => controller.resume(), stop: state.stop };
      state.receiver.start(status, headers, flow);
    },
    onResponseData: (_controller, chunk) => state.receiver.data(chunk),
    onResponseEnd: () => state.settle(null),
    onResponseError(_controller, error) {
      const stage = client.failedDials.get(error);
      const progress = { sent: state.controller !== null, answered: state.answered };
      state.settle(stage ? explainDialError(error, stage, progress.sent) : explainBrokenCall(error, progress));
    },
  };
}

function makeTimeoutError({ answered, controller, request }: CallAttempt): OutboundError {
  const message = answered ? 'The response was not complete in time.' : 'No response arrived in time.';
  return new OutboundError('TIMEOUT', controller !== null, message, request.signal.reason);
}
