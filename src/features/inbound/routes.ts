/** What the networks call. Public by path, guarded by signature; outside the API's description. */
import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { AppError } from '../../platform/errors.ts';
import { sameText } from '../../platform/secrets.ts';
import { receiveCallback } from './callback.ts';
import { createIntake } from './intake.ts';
import { Handshake } from './schemas.ts';

// The network's own limit is 3 MB.
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
      const accepted =
        query['hub.mode'] === 'subscribe' && sameText(query['hub.verify_token'], kit.config.WAP_VERIFY_TOKEN);
      if (!accepted) throw new AppError('FORBIDDEN', 'The verification token does not match');
      return reply.type('text/plain').send(query['hub.challenge'] ?? '');
    },
  });
  void app.register(async (hooks) => {
    hooks.removeAllContentTypeParsers();
    // The signature is over the bytes, whatever the network calls them.
    hooks.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: CALLBACK_LIMIT }, (_request, raw, done) =>
      done(null, raw),
    );
    hooks.route({
      method: 'POST',
      url: '/hooks/wap',
      config: { access: 'public' },
      bodyLimit: CALLBACK_LIMIT,
      handler: async (request) => {
        const raw = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
        const signature = request.headers['x-hub-signature-256'];
        if (!kit.channels.wap.verify(raw, typeof signature === 'string' ? signature : undefined)) {
          kit.metrics.inbound.inc({ channel: 'WAP_AUTO_CLOSER', outcome: 'refused' });
          throw new AppError('BAD_SIGNATURE');
        }
        await receiveCallback(kit, intake, raw);
        return { ok: true };
      },
    });
  });
}
