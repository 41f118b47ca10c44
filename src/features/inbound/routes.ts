/** The routes that networks call: without API authentication, protected by a signature, and not part of the API's description. */
import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { AppError, forbidden } from '../../platform/errors.ts';
import { calledChannels, isOurToken, receiveCallback } from './callback.ts';
import { createIntake } from './intake.ts';

// The network sends at most 3 MB.
const CALLBACK_LIMIT = 4 * 1024 * 1024;

export function inboundRoutes(app: FastifyInstance, kit: Kit): void {
  const intake = createIntake(kit);
  for (const channel of calledChannels(kit)) {
    app.route({
      method: 'GET',
      url: channel.callbacks.path,
      config: { access: 'public' },
      handler: async (request, reply) => {
        const asked = channel.callbacks.readHandshake?.(request.query as Record<string, unknown>);
        if (!asked || !(await isOurToken(kit, asked.token)))
          throw forbidden('hub.verify_token', 'The verification token does not match');
        return reply.type('text/plain').send(asked.challenge);
      },
    });
  }
  void app.register(async (hooks) => {
    hooks.removeAllContentTypeParsers();
    // The signature covers the bytes, whatever their content type; the handler reads them.
    hooks.addContentTypeParser('*', (_request, _payload, done) => done(null));
    for (const channel of calledChannels(kit)) {
      hooks.route({
        method: 'POST',
        url: channel.callbacks.path,
        config: { access: 'public' },
        handler: async (request) => {
          const check = channel.callbacks.beginCheck(request.headers);
          // A body without a signature is not kept in memory, and a body with a wrong signature is not parsed.
          const raw = check && (await app.bodies.receive(request, CALLBACK_LIMIT, check.add));
          if (!raw || !check?.holds()) {
            kit.metrics.inbound.inc({ channel: channel.name, outcome: 'refused' });
            throw new AppError('BAD_SIGNATURE');
          }
          await receiveCallback(kit, intake, channel, raw);
          return { ok: true };
        },
      });
    }
  });
}
