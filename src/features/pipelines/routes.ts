import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { declareTag } from '../../platform/http/description.ts';
import { operation } from '../../platform/http/route.ts';
import { ref } from '../../platform/values/schema.ts';
import { createPipeline, pagePipelines, readPipeline, removePipeline, updatePipelineById } from './pipelines.ts';
import {
  Pipeline,
  PipelineCreate,
  PipelineList,
  PipelineParams,
  PipelineQuery,
  PipelineRemoval,
  PipelineUpdate,
} from './schemas.ts';

const MOVES =
  'CONVERSATION_STEP_CHANGED is emitted for each conversation that moves. Up to 2,000 move within the request. If there are ' +
  'more, a job moves the rest within minutes, and the step can no longer be seen or chosen meanwhile.';

export function pipelineRoutes(app: FastifyInstance, kit: Kit): void {
  declareTag('pipelines', 'The steps that conversations go through');
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/pipelines',
    scope: 'pipelines:create',
    summary: 'Create a pipeline with its steps',
    description: 'A company always has exactly one default pipeline.',
    body: ref(PipelineCreate),
    answers: { 201: ref(Pipeline) },
    handler: (tenant, { body }) => createPipeline(tenant, body),
    again: readPipeline,
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/pipelines',
    scope: 'pipelines:read',
    summary: 'List pipelines',
    description: 'Each pipeline with its steps in order. One of them is the default.',
    query: PipelineQuery,
    answers: { 200: PipelineList },
    handler: (tenant, { query }) => pagePipelines(tenant, query),
  });
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/pipelines/:id',
    scope: 'pipelines:read',
    summary: 'Read a pipeline',
    description: 'Returns the pipeline with its steps in order; conversations refer to a step by its `_id`.',
    params: PipelineParams,
    answers: { 200: ref(Pipeline) },
    handler: (tenant, { params }) => readPipeline(tenant, params.id),
  });
  changeRoutes(app, kit);
}

function changeRoutes(app: FastifyInstance, kit: Kit): void {
  operation(app, kit.access, {
    method: 'PATCH',
    path: '/v1/pipelines/:id',
    scope: 'pipelines:update',
    disposes: 'steps',
    summary: 'Change a pipeline: name, default, steps',
    description: `A step with conversations can be removed only with a replacement. ${MOVES}`,
    params: PipelineParams,
    body: ref(PipelineUpdate),
    answers: { 200: ref(Pipeline) },
    errors: ['STEP_IN_USE'],
    handler: (tenant, { params, body }) => updatePipelineById(kit, tenant, params.id, body),
  });
  operation(app, kit.access, {
    method: 'DELETE',
    path: '/v1/pipelines/:id',
    scope: 'pipelines:delete',
    summary: 'Remove a pipeline with its steps',
    description: `The default pipeline cannot be removed, and a pipeline with conversations needs a replacement. ${MOVES}`,
    params: PipelineParams,
    query: PipelineRemoval,
    answers: { 200: ref(Pipeline) },
    errors: ['PIPELINE_IS_DEFAULT', 'STEP_IN_USE', 'UNKNOWN_REFERENCE'],
    handler: (tenant, { params, query }) => removePipeline(kit, tenant, params.id, query.replacement),
  });
}
