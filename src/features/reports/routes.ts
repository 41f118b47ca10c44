import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { declareTag } from '../../platform/http/description.ts';
import { CSV_ANSWER } from '../../platform/http/download.ts';
import { operation } from '../../platform/http/route.ts';
import type { Need } from '../../platform/http/needs.ts';
import { ref } from '../../platform/values/schema.ts';
import { exportBreakdown, exportSeries } from './export.ts';
import { createNowReader, readBreakdown, readSeries, readSummary } from './reports.ts';
import {
  BreakdownQuery,
  ReportBreakdown,
  ReportNow,
  ReportQuery,
  ReportSeries,
  ReportSummary,
  SeriesQuery,
} from './schemas.ts';

const FOR_COSTS: Need<{ query: { agent?: string } }> = {
  scopes: ['agents:read'],
  when: 'with the filter `agent`',
  arises: (_tenant, { query }) => query.agent !== undefined,
};
const FOR_NAMES = [{ scopes: ['agents:read', 'campaigns:read', 'inboxes:read', 'users:read'] as const }];
const COUNTED = 'Test conversations are not counted. [Reports](reports.md) says what each figure means.';
const ONE_FILTER = `A report has one filter at most. ${COUNTED}`;

export function reportRoutes(app: FastifyInstance, kit: Kit): void {
  declareTag('reports', 'Figures of conversations, people and AI agents');
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/reports/now',
    scope: 'conversations:read',
    summary: 'Count what is open now',
    description: 'Open and waiting conversations, and the users who are online. The answer may be three seconds old.',
    answers: { 200: ref(ReportNow) },
    handler: createNowReader(),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/reports/summary',
    scope: 'conversations:read',
    needs: [FOR_COSTS],
    summary: 'Read the figures of a time',
    description: `The figures from \`from\` to \`to\`, and those of as long a time before. ${ONE_FILTER}`,
    query: ReportQuery,
    answers: { 200: ref(ReportSummary) },
    errors: ['UNKNOWN_REFERENCE'],
    handler: (tenant, { query }) => readSummary(tenant, query),
  });
  seriesRoutes(app, kit);
  breakdownRoutes(app, kit);
}

function seriesRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/reports/series',
    scope: 'conversations:read',
    needs: [FOR_COSTS],
    summary: 'Read the figures of each hour, day, week or month',
    description: ONE_FILTER,
    query: SeriesQuery,
    answers: { 200: ref(ReportSeries) },
    errors: ['UNKNOWN_REFERENCE'],
    handler: (tenant, { query }) => readSeries(tenant, query),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/reports/series/export',
    scope: 'conversations:read',
    needs: [FOR_COSTS],
    summary: 'Export the figures of each hour, day, week or month as CSV',
    description: 'A line for each period. Durations are in seconds.',
    query: SeriesQuery,
    answers: { 200: CSV_ANSWER },
    errors: ['UNKNOWN_REFERENCE'],
    handler: (tenant, { query, reply }) => exportSeries(kit, tenant, { query, reply }),
  });
}

function breakdownRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/reports/breakdown',
    scope: 'conversations:read',
    needs: FOR_NAMES,
    summary: 'Compare inboxes, teams, users, AI agents, campaigns or tags',
    description: `The figures of each of them. ${COUNTED}`,
    query: BreakdownQuery,
    answers: { 200: ref(ReportBreakdown) },
    handler: (tenant, { query }) => readBreakdown(tenant, query),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/reports/breakdown/export',
    scope: 'conversations:read',
    needs: FOR_NAMES,
    summary: 'Export the comparison as CSV',
    description: 'A line for each inbox, team, user, AI agent, campaign or tag. Durations are in seconds.',
    query: BreakdownQuery,
    answers: { 200: CSV_ANSWER },
    handler: (tenant, { query, reply }) => exportBreakdown(kit, tenant, { query, reply }),
  });
}
