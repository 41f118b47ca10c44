import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { createVisitCounter } from '../../platform/http/access.ts';
import { declareTag } from '../../platform/http/description.ts';
import { showPublicPage } from '../../platform/http/public-page.ts';
import { operation } from '../../platform/http/route.ts';
import { ref } from '../../platform/values/schema.ts';
import { CSAT_PATH } from './compose.ts';
import { pageSurveys, rateByLink, readSurvey, showSurvey } from './csat.ts';
import {
  CsatSurvey,
  CsatSurveyList,
  CsatSurveyParams,
  CsatSurveyQuery,
  MAX_COMMENT,
  SCORES,
  type Score,
} from './schemas.ts';

export function csatRoutes(app: FastifyInstance, kit: Kit): void {
  declareTag('csat-surveys', 'Whether contacts were satisfied with their conversations');
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/csat-surveys',
    scope: 'conversations:read',
    summary: 'List satisfaction surveys',
    description:
      'When a conversation is closed, a contact who was answered is sent the `csat_question` of the inbox: at most once in 7 days, and only if they wrote within 7 days. ' +
      'Figures of all ratings are in the reports.',
    query: CsatSurveyQuery,
    answers: { 200: CsatSurveyList },
    errors: ['UNKNOWN_REFERENCE'],
    handler: (tenant, { query }) => pageSurveys(tenant, query),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/csat-surveys/:id',
    scope: 'conversations:read',
    summary: 'Read a satisfaction survey',
    description: 'Its message is in the conversation. A survey that could not be sent is not found.',
    params: CsatSurveyParams,
    answers: { 200: ref(CsatSurvey) },
    handler: (tenant, { params }) => readSurvey(tenant, params.id),
  });
}

// Each character of a comment may take nine bytes in a form.
const BODY_LIMIT = 32 * 1024;

/** A GET only shows the page: scanners of mails open every link. */
export function csatPage(app: FastifyInstance, kit: Kit): void {
  const options = { config: { access: 'public' }, onRequest: createVisitCounter(kit.access) };
  const url = `${CSAT_PATH}/:token`;
  app.get<Asked>(url, options, async ({ params, query }, reply) =>
    showPublicPage(reply, await showSurvey(kit, params.token, readScore(query.score))),
  );
  void app.register(async (inner) => {
    inner.removeAllContentTypeParsers();
    inner.addContentTypeParser('*', (_request, _payload, done) => done(null));
    inner.post<Asked>(url, options, async (request, reply) => {
      const form = new URLSearchParams((await app.bodies.receive(request, BODY_LIMIT)).toString());
      const comment = form.get('comment')?.replaceAll('\0', '').trim().slice(0, MAX_COMMENT) ?? '';
      const rating = { score: readScore(form.get('score')), comment: comment || null };
      return showPublicPage(reply, await rateByLink(kit, request.params.token, rating));
    });
  });
}

interface Asked {
  Params: { token: string };
  Querystring: { score?: string };
}

const readScore = (text: string | null | undefined): Score | null =>
  SCORES.find((score) => String(score) === text) ?? null;
