/** Answers requests without a route: 405 with the allowed methods for a known path, 404 for any other path. */
import findMyWay from 'find-my-way';
import type { FastifyInstance } from 'fastify';
import { AppError, notFound } from './errors.ts';
import { listValues } from './words.ts';

/** Answers every request without a route before its body is read. */
export function answerUnroutedRequests(app: FastifyInstance, maxParamLength: number): void {
  // Fastify does not expose its router. This second router comes from the same library, so both treat paths alike.
  const router = findMyWay({ maxParamLength });
  const known = new Set<string>();
  app.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat()) {
      known.add(each);
      router.on(each as findMyWay.HTTPMethod, url, () => undefined);
    }
  });
  const methodsAt = (url: string): string[] =>
    [...known].filter((method) => router.find(method as findMyWay.HTTPMethod, url)).toSorted();
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done();
    const methods = methodsAt(request.raw.url ?? '/');
    if (methods.length === 0) return done(notFound());
    const allow = [...methods, 'OPTIONS'].join(', ');
    if (request.method === 'OPTIONS') return void reply.code(204).header('allow', allow).send();
    // HEAD is allowed wherever GET is, so the message leaves it out.
    const usable = listValues(methods.filter((method) => method !== 'HEAD'));
    done(new AppError('METHOD_NOT_ALLOWED', `${request.method} is not possible here, use ${usable}`, [], { allow }));
  });
}
