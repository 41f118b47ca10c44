/** The routes that networks call: without API authentication, protected by a signature, and not part of the API's description. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Kit } from '../../kit.ts';
import { AppError, forbidden } from '../../platform/values/errors.ts';
import { addressShare } from '../../platform/http/limits.ts';
import { spoolBody } from '../../platform/http/spooled-body.ts';
import {
  isOurToken,
  openCallback,
  openInboxCallback,
  putOff,
  receiveCallback,
  receiveNotice,
  type IncomingCallback,
} from './callback.ts';
import { createIntake, type Intake } from './intake.ts';
import { admitPush, receivePush, type PushPath } from './pushed/push.ts';
import { declareLimit } from '../../platform/values/limits.ts';

// More than any network sends.
const CALLBACK_LIMIT = declareLimit(4 * 1024 * 1024, {
  topic: 'Networks',
  what: 'Callback from a network',
  unit: 'bytes',
  beyond: '413',
});
// A notice of a log-in has some hundred bytes.
const NOTICE_LIMIT = 16 * 1024;

/** Returns the intake, which stores what visitors of web chats write as well. */
export function inboundRoutes(app: FastifyInstance, kit: Kit): Intake {
  addHandshakes(app, kit);
  const intake = createIntake(kit);

  async function take(request: FastifyRequest, call: IncomingCallback): Promise<{ ok: true }> {
    const { channel, check } = call;
    // A body without a signature is not kept in memory, and a body with a wrong signature is not parsed.
    const raw = check && (await app.bodies.receive(request, CALLBACK_LIMIT, check.add));
    if (!raw || !check?.holds()) {
      kit.metrics.inbound.inc({ channel: channel.name, outcome: 'refused' });
      throw new AppError('BAD_SIGNATURE');
    }
    if (call.waiting) return putOff(kit, call.waiting);
    if (call.receives) await receiveCallback(kit, intake, call, raw);
    else kit.metrics.inbound.inc({ channel: channel.name, outcome: 'dropped' });
    return { ok: true };
  }

  void app.register(async (hooks) => {
    hooks.removeAllContentTypeParsers();
    // The signature covers the bytes, whatever their content type; the handler reads them.
    hooks.addContentTypeParser('*', (_request, _payload, done) => done(null));
    addNotices(app, hooks, kit);
    for (const channel of kit.channels.all()) {
      const { callbacks, inboxCallbacks, pushedItems } = channel;
      if (pushedItems) addPushPath(hooks, kit, intake, { channel, pushed: pushedItems });
      if (callbacks)
        hooks.route({
          method: 'POST',
          url: callbacks.path,
          config: { access: 'public' },
          handler: (request) => take(request, openCallback(channel, callbacks, request.headers)),
        });
      if (inboxCallbacks)
        hooks.route<{ Params: { inbox: string } }>({
          method: 'POST',
          url: `${inboxCallbacks.path}/:inbox`,
          config: { access: 'public' },
          handler: async (request) => {
            const path = { channel, callbacks: inboxCallbacks, inbox: request.params.inbox };
            return take(request, await openInboxCallback(kit, path, request.headers, addressShare(request.ip)));
          },
        });
    }
  });
  return intake;
}

/** The path of each inbox at which a mail server hands over what has arrived. */
function addPushPath(
  hooks: FastifyInstance,
  kit: Kit,
  intake: Intake,
  { channel, pushed }: Omit<PushPath, 'inbox'>,
): void {
  hooks.route<{ Params: { inbox: string } }>({
    method: 'POST',
    url: `${pushed.path}/:inbox`,
    config: { access: 'public' },
    handler: async (request) => {
      const { headers, params } = request;
      const push = { channel, pushed, inbox: params.inbox };
      const { address, ...target } = await admitPush(kit, push, headers, addressShare(request.ip));
      const body = await spoolBody(request, { maxBytes: pushed.maxBytes, owner: target.company });
      try {
        if (address === null) kit.metrics.inbound.inc({ channel: channel.name, outcome: 'dropped' });
        else await receivePush(kit, intake, { channel, source: body }, { ...target, address });
        return { ok: true };
      } finally {
        await body.close();
      }
    },
  });
}

/** The paths at which networks tell that someone has logged in behind a link. */
function addNotices(app: FastifyInstance, hooks: FastifyInstance, kit: Kit): void {
  for (const channel of kit.channels.all()) {
    if (!channel.logIn) continue;
    hooks.route({
      method: 'POST',
      url: channel.logIn.path,
      config: { access: 'public' },
      handler: async (request) => {
        await receiveNotice(kit, channel, await app.bodies.receive(request, NOTICE_LIMIT));
        return { ok: true };
      },
    });
  }
}

/** The GET requests by which networks verify that a path is ours. */
function addHandshakes(app: FastifyInstance, kit: Kit): void {
  for (const { callbacks } of kit.channels.all()) {
    const handshake = callbacks?.handshake;
    if (!callbacks || !handshake) continue;
    app.route({
      method: 'GET',
      url: callbacks.path,
      config: { access: 'public' },
      handler: async (request, reply) => {
        const asked = handshake.read(request.query as Record<string, unknown>);
        if (!asked || !(await isOurToken(kit, handshake, asked.token)))
          throw forbidden(handshake.parameter, 'The verification token does not match');
        return reply.type('text/plain').send(asked.challenge);
      },
    });
  }
}
