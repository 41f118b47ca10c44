/** The routes that networks call: without API authentication, protected by a signature, and not part of the API's description. */
import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { AppError, forbidden } from '../../platform/errors.ts';
import { isVerified, receiveCallback } from './callback.ts';
import { createIntake } from './intake.ts';
import { Handshake } from './schemas.ts';

// The network itself sends at most 3 MB.
const CALLBACK_LIMIT = 4 * 1024 * 1024;

export function inboundRoutes(app: FastifyInstance, kit: Kit): void {
  const intake = createIntake(kit);
  app.route({
    method: 'GET',
    url: '/hooks/wap',
    config: { access: 'public' },
    schema: { querystring: Handshake },
    handler: async (request, reply) => {
      const query = request.query as Handshake;
      if (!(await isVerified(kit, query))) throw forbidden('hub.verify_token', 'The verification token does not match');
      return reply.type('text/plain').send(query['hub.challenge'] ?? '');
    },
  });
  void app.register(async (hooks) => {
    hooks.removeAllContentTypeParsers();
    // The signature covers the bytes, whatever their content type; the handler reads them.
    hooks.addContentTypeParser('*', (_request, _payload, done) => done(null));
    hooks.route({
      method: 'POST',
      url: '/hooks/wap',
      config: { access: 'public' },
      handler: async (request) => {
        const signature = request.headers['x-hub-signature-256'];
        const check = kit.channels.wap.beginCheck(typeof signature === 'string' ? signature : undefined);
        // A body without a signature is not kept in memory, and a body with a wrong signature is not parsed.
        const raw = check && (await app.bodies.receive(request, CALLBACK_LIMIT, check.add));
        if (!raw || !check?.holds()) {
          kit.metrics.inbound.inc({ channel: 'WAP_AUTO_CLOSER', outcome: 'refused' });
          throw new AppError('BAD_SIGNATURE');
        }
        await receiveCallback(kit, intake, raw);
        return { ok: true };
      },
    });
  });
}
