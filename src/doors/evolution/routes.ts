/**
 * The door for clients of Evolution API: everything below /evolution. What is not among its routes is answered as Evolution's own channel of
 * the Cloud API answers what it cannot do.
 */
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Kit } from '../../kit.ts';
import { admitRequest, createVisitCounter } from '../../platform/http/access.ts';
import { hangUpSignal } from '../../platform/http/hang-up.ts';
import { acceptJson, drainBody, meetFailure, receiveJson } from '../../platform/http/http.ts';
import { acceptForms, receiveForm, FilePart, type Form } from '../../platform/http/multipart.ts';
import { parseJson } from '../../platform/http/body.ts';
import { spoolBody, type SpooledBody } from '../../platform/http/spooled-body.ts';
import { AppError } from '../../platform/values/errors.ts';
import { declareLimit } from '../../platform/values/limits.ts';
import { createShares } from '../../platform/work/shares.ts';
import { openInnerCalls } from '../inner-calls.ts';
import type { JsonObject } from '../json.ts';
import { describeError, EvolutionError, fromProblem, refused } from './errors.ts';
import { findInstance } from './instances.ts';
import { findAnswer, ROUTES } from './all-routes.ts';
import type { Asked, EvolutionCaller, InstanceRoute, PlainRoute } from './route.ts';

const PATH = '/evolution';
const VERSION = '2.3.7';
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

// Larger bodies wait on the disk for their turn, because a few of them at a time would fill the memory.
const SMALL_BYTES = 256 * 1024;
const LARGE_AT_ONCE = 4;
const LARGE_WAIT_MS = 60_000;
const largeBodies = createShares(1, LARGE_WAIT_MS, { all: LARGE_AT_ONCE, kept: 1 });
const FILE_BODY_LIMIT = declareLimit(30 * 1024 * 1024, {
  topic: 'Evolution',
  what: 'Body of a send',
  unit: 'bytes',
  beyond: '413',
});

/** Where a request leads: the route with the name of its instance, or null for what is not served. */
interface Destination {
  key: string;
  route: PlainRoute | InstanceRoute | null;
  instance: string | null;
}

interface Entered {
  companyId: string;
  key: string;
  destination: Destination;
  /** The body on the disk, when it is a large one. */
  large?: SpooledBody;
}

export function evolutionDoor(app: FastifyInstance, kit: Kit): void {
  void app.register(async (inner) => {
    const entered = new WeakMap<FastifyRequest, Entered>();
    const expectEntered = (request: FastifyRequest): Entered => {
      const who = entered.get(request);
      if (!who) throw new Error('a request that did not enter reached its handler');
      return who;
    };
    await acceptForms(inner);
    acceptJson(inner, (request) => receiveBody(request, expectEntered(request)));
    inner.setErrorHandler(sendError);
    const options = {
      config: { access: 'token' },
      schema: { hide: true },
      onRequest: async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
        entered.set(request, await enter(kit, request, reply));
      },
      handler: async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
        const who = expectEntered(request);
        const call = openInnerCalls(app, request, 'EVOLUTION');
        return answer(request, reply, { ...who, kit, ask: call, call: throwingProblems(call) });
      },
    };
    for (const method of METHODS) inner.route({ ...options, method, url: `${PATH}/*` });
    const welcome = { status: 200, message: 'Welcome to the Evolution API, it is working!', version: VERSION };
    for (const url of [PATH, `${PATH}/`])
      inner.get(
        url,
        { config: { access: 'public' }, schema: { hide: true }, onRequest: createVisitCounter(kit.access) },
        async () => welcome,
      );
  });
}

/** The key decides before anything else, so that nobody without one learns which instances there are. */
async function enter(kit: Kit, request: FastifyRequest, reply: FastifyReply): Promise<Entered> {
  const { apikey } = request.headers;
  // Without a header of its own the request would be that of a session.
  request.headers.authorization = `Bearer ${typeof apikey === 'string' ? apikey : ''}`;
  const { principal, companyId } = await admitRequest(kit.access, request, reply, { scope: null, needsCompany: false });
  if (principal.type !== 'company' || companyId === null) throw new AppError('UNAUTHORIZED');
  return { companyId, key: String(apikey), destination: findDestination(request) };
}

/** Paths may end with a slash. */
function findDestination({ method, raw }: FastifyRequest): Destination {
  const [path = ''] = (raw.url ?? '').split('?', 1);
  const parts = path
    .slice(PATH.length)
    .split('/')
    .filter((part) => part !== '')
    .map(decodePart);
  const key = `${method} ${parts.slice(0, 2).join('/')}`;
  const route = ROUTES.get(key) ?? null;
  const instance = parts[2] ?? null;
  const fits = route && parts.length === (route.isPlain ? 2 : 3);
  return { key, route: fits ? route : null, instance };
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // Failure policy: what is not encoded stands for itself, and names no instance.
    return part;
  }
}

/** Only the body of a send can be large, because it can have a file in it. */
async function receiveBody(request: FastifyRequest, who: Entered): Promise<unknown> {
  const announced = Number(request.headers['content-length'] ?? Infinity);
  if (!who.destination.route?.hasFile || announced <= SMALL_BYTES) return receiveJson(request);
  who.large = await spoolBody(request, { maxBytes: FILE_BODY_LIMIT, owner: who.companyId });
  return null;
}

const readLarge = async (body: SpooledBody): Promise<unknown> =>
  parseJson(Buffer.concat(await Array.fromAsync(body.read(0, body.bytes))));

const throwingProblems =
  (call: EvolutionCaller['ask']): EvolutionCaller['call'] =>
  async (...given) => {
    const called = await call(...given);
    if (called.status < 400) return called.body;
    throw fromProblem(called);
  };

const OTHER_PARTS = Type.String();

async function receiveFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { companyId, destination }: Entered,
): Promise<Form | null> {
  if (!request.isMultipart()) return null;
  if (!destination.route?.hasFile) throw new AppError('UNSUPPORTED_MEDIA_TYPE');
  const body = Type.Object({ file: FilePart });
  const form = await receiveForm(request, reply, {
    body,
    others: OTHER_PARTS,
    owner: companyId,
    maxBytes: FILE_BODY_LIMIT,
  });
  form.hold();
  return form;
}

async function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  caller: EvolutionCaller & Entered,
): Promise<FastifyReply> {
  const { destination } = caller;
  const { key, route, instance } = destination;
  if (!route) {
    const found = findAnswer(key);
    if (found === undefined) throw refused();
    return sendJson(reply, 200, found);
  }
  const { large } = caller;
  const form = await receiveFile(request, reply, caller);
  const run = async (): Promise<unknown> => {
    const asked = {
      ...readAsked(request, form, large ? await readLarge(large) : request.body),
      signal: hangUpSignal(reply),
      admitFile: () => caller.kit.downloads.admit(caller.companyId, reply),
    };
    return route.isPlain
      ? route.run(caller, asked)
      : route.run(caller, asked, await findInstance(caller, instance ?? ''));
  };
  try {
    const told = await (large ? largeBodies.within(caller.companyId, run) : run());
    sendJson(reply, route.status ?? (request.method === 'POST' ? 201 : 200), told);
  } finally {
    await form?.discard();
    await large?.close();
  }
  return reply;
}

function readAsked(
  request: FastifyRequest,
  form: Form | null,
  json: unknown,
): Pick<Asked, 'query' | 'body' | 'file' | 'idempotencyKey'> {
  const { 'idempotency-key': idempotencyKey } = request.headers;
  const body = (form ? form.body : json) as JsonObject | null;
  return {
    query: request.query as JsonObject,
    body: typeof body === 'object' && body !== null && !Array.isArray(body) ? body : {},
    file: form?.upload ?? null,
    idempotencyKey: typeof idempotencyKey === 'string' ? idempotencyKey : null,
  };
}

/** A stream is sent as the JSON that it is. */
const sendJson = (reply: FastifyReply, status: number, body: unknown): FastifyReply =>
  reply
    .code(status)
    .header('cache-control', 'no-store')
    .type('application/json')
    .send(body instanceof Readable ? body : JSON.stringify(body ?? null));

async function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const isOwn = error instanceof EvolutionError;
  if (isOwn) await drainBody(request, reply);
  const met = isOwn ? error : await meetFailure(error, request, reply);
  reply.headers(met.headers);
  return sendJson(reply, met.status, describeError(met));
}
