import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { createVisitCounter, readRequestOrigin } from '../../platform/http/access.ts';
import { showPublicPage } from '../../platform/http/public-page.ts';
import { OPT_OUT_PATH } from './links.ts';
import { optOutByLink, showOptOut } from './opt-outs.ts';

// A form with one field, as mail programs send it (RFC 8058).
const BODY_LIMIT = 16 * 1024;

/** A GET only shows the page: scanners of mails open every link. */
export function optOutRoutes(app: FastifyInstance, kit: Kit): void {
  const options = { config: { access: 'public' }, onRequest: createVisitCounter(kit.access) };
  const url = `${OPT_OUT_PATH}/:token`;
  app.get<Token>(url, options, async (request, reply) =>
    showPublicPage(reply, await showOptOut(kit, request.params.token)),
  );
  void app.register(async (inner) => {
    inner.removeAllContentTypeParsers();
    // The form says nothing that the address does not say.
    inner.addContentTypeParser('*', (_request, _payload, done) => done(null));
    inner.post<Token>(url, options, async (request, reply) => {
      await app.bodies.receive(request, BODY_LIMIT);
      return showPublicPage(reply, await optOutByLink(kit, request.params.token, readRequestOrigin(request)));
    });
  });
}

interface Token {
  Params: { token: string };
}
