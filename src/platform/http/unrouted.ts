/**
 * Answers requests without a route: OPTIONS and 405 with the allowed methods for a known path, 404 for any other path. OPTIONS requests of
 * browsers that ask for a page of another site (preflights) are answered by the rule of the route that the page wants to call.
 */
import findMyWay from 'find-my-way';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { CountVisit } from './access.ts';
import { makePreflightHeaders } from './cross-origin.ts';
import { AppError } from '../values/errors.ts';
import { isOpenedByPerson, sendNoPage } from './no-page.ts';
import { describeValues } from '../values/words.ts';

/** Answers every request without a route before its body is read. Preflights that need a rule are counted by `count`. */
export function answerUnroutedRequests(app: FastifyInstance, maxParamLength: number, count: CountVisit): void {
  // Fastify does not expose its router. This second router comes from the same library, so both treat paths alike.
  const router = findMyWay({ maxParamLength });
  const known = new Set<string>();
  app.addHook('onRoute', (route) => {
    for (const each of [route.method].flat()) {
      known.add(each);
      router.on(each as findMyWay.HTTPMethod, route.url, () => undefined, route);
    }
  });
  const find = (method: string, url: string) => router.find(method as findMyWay.HTTPMethod, url);

  async function answerOptions(request: FastifyRequest, reply: FastifyReply, methods: string[]): Promise<FastifyReply> {
    reply.code(204).header('allow', methods.join(', '));
    const { origin, 'access-control-request-method': wanted = '' } = request.headers;
    const found = known.has(wanted) ? find(wanted, request.raw.url ?? '/') : null;
    const origins = (found?.store as RouteOptions | undefined)?.config?.origins;
    if (origin !== undefined && found && origins) {
      await count(request, reply);
      reply.headers(
        await makePreflightHeaders({ origin, origins, params: found.params, address: request.ip, methods }),
      );
    }
    return reply.send();
  }

  app.addHook('onRequest', async (request, reply) => {
    if (!request.is404) return undefined;
    const url = request.raw.url ?? '/';
    const methods = [...known].filter((method) => find(method, url)).toSorted();
    if (methods.length === 0 && isOpenedByPerson(request)) return sendNoPage(request, reply);
    if (methods.length === 0) throw new AppError('NOT_FOUND', 'This path does not exist; /docs/api lists all paths');
    const allowed = [...methods, 'OPTIONS'];
    if (request.method === 'OPTIONS') return answerOptions(request, reply, allowed);
    // HEAD is allowed wherever GET is, so the message leaves it out.
    const usable = describeValues(methods.filter((method) => method !== 'HEAD'));
    const headers = { allow: allowed.join(', ') };
    throw new AppError('METHOD_NOT_ALLOWED', `${request.method} is not supported here, use ${usable}`, [], headers);
  });
}
