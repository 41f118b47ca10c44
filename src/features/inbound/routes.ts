/** The routes that networks call: without API authentication, protected by a signature, and not part of the API's description. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Kit } from '../../kit.ts';
import { AppError, forbidden } from '../../platform/errors.ts';
import { addressGroup } from '../../platform/limits.ts';
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

// The network sends at most 3 MB.
const CALLBACK_LIMIT = 4 * 1024 * 1024;
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
      const { callbacks, inboxCallbacks } = channel;
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
            return take(
              request,
              await openInboxCallback(kit, path, request.headers, `address:${addressGroup(request.ip)}`),
            );
          },
        });
    }
  });
  return intake;
}

/** The paths at which networks tell that somebody has logged in behind a link. */
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
    if (!callbacks?.readHandshake) continue;
    app.route({
      method: 'GET',
      url: callbacks.path,
      config: { access: 'public' },
      handler: async (request, reply) => {
        const asked = callbacks.readHandshake?.(request.query as Record<string, unknown>);
        if (!asked || !(await isOurToken(kit, asked.token)))
          throw forbidden('hub.verify_token', 'The verification token does not match');
        return reply.type('text/plain').send(asked.challenge);
      },
    });
  }
}
