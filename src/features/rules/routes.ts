import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { declareTag } from '../../platform/http/description.ts';
import { operation } from '../../platform/http/route.ts';
import { ref } from '../../platform/values/schema.ts';
import { GIVEN_ACTIONS, OWN_ACTIONS } from './needs.ts';
import { createRule, pageRules, readRule, removeRule, updateRuleById } from './rules.ts';
import { dryRun, pageRuns } from './runs.ts';
import {
  Rule,
  RuleCreate,
  RuleDryRun,
  RuleDryRunResult,
  RuleList,
  RuleParams,
  RuleQuery,
  RuleRunList,
  RuleRunQuery,
  RuleUpdate,
} from './schemas.ts';

const CHANGES = { scopes: ['conversations:update'] } as const;

export function ruleRoutes(app: FastifyInstance, kit: Kit): void {
  declareTag('rules', 'What the platform does by itself when something happens in a conversation');
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/rules',
    scope: 'agents:create',
    needs: [CHANGES, ...GIVEN_ACTIONS],
    action: 'rules.create',
    summary: 'Create a rule',
    description:
      'When the event happens in a conversation and each group of conditions holds, the platform makes the actions, all or none of them. Changes made by rules start no ' +
      'rule, and each event runs a rule at most once. A rule writes to a contact in an inbox at most once in 24 hours, and never answers automatic messages.',
    body: ref(RuleCreate),
    answers: { 201: ref(Rule) },
    errors: ['UNKNOWN_REFERENCE', 'QUOTA_EXCEEDED'],
    handler: (tenant, { body }) => createRule(tenant, body),
    again: readRule,
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/rules',
    scope: 'agents:read',
    summary: 'List rules',
    description: 'Those of an event run by `position`.',
    query: RuleQuery,
    answers: { 200: RuleList },
    handler: (tenant, { query }) => pageRules(tenant, query),
  });
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/rules/dry-run',
    scope: 'agents:read',
    needs: [{ scopes: ['conversations:read', 'messages:read'] }],
    action: null,
    summary: 'Try the conditions of a rule',
    description:
      'Counts the messages of contacts of the last 7 days, or for other events the conversations with a message in that time, for which the conditions hold. ' +
      'The conversations are looked at as they are now. Nothing is changed.',
    body: ref(RuleDryRun),
    answers: { 200: ref(RuleDryRunResult) },
    errors: ['UNKNOWN_REFERENCE'],
    handler: (tenant, { body }) => dryRun(tenant, body),
  });
  recordRoutes(app, kit);
  runsRoute(app, kit);
}

function recordRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/rules/:id',
    scope: 'agents:read',
    summary: 'Read a rule',
    description: 'Its runs are listed by GET /v1/rules/{id}/runs.',
    params: RuleParams,
    answers: { 200: ref(Rule) },
    handler: (tenant, { params }) => readRule(tenant, params.id),
  });
  operation(app, kit.access, {
    method: 'PATCH',
    path: '/v1/rules/:id',
    scope: 'agents:update',
    needs: [CHANGES, ...GIVEN_ACTIONS, ...OWN_ACTIONS],
    action: 'rules.update',
    summary: 'Change a rule',
    description:
      '`conditions` and `actions` replace all of them. Events that happened before the change run the rule as it is now.',
    params: RuleParams,
    body: ref(RuleUpdate),
    answers: { 200: ref(Rule) },
    errors: ['UNKNOWN_REFERENCE', 'QUOTA_EXCEEDED'],
    handler: (tenant, { params, body }) => updateRuleById(tenant, params.id, body),
  });
  operation(app, kit.access, {
    method: 'DELETE',
    path: '/v1/rules/:id',
    scope: 'agents:delete',
    action: 'rules.delete',
    summary: 'Remove a rule',
    description: 'Events that are still waiting no longer run it. Its runs can no longer be listed.',
    params: RuleParams,
    answers: { 200: ref(Rule) },
    handler: (tenant, { params }) => removeRule(tenant, params.id),
  });
}

function runsRoute(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/rules/:id/runs',
    scope: 'agents:read',
    summary: 'List the runs of a rule',
    description: 'Events whose conditions do not hold make no run. Runs are kept for 30 days.',
    params: RuleParams,
    query: RuleRunQuery,
    answers: { 200: RuleRunList },
    handler: (tenant, { params, query }) => pageRuns(tenant, params.id, query),
  });
}
