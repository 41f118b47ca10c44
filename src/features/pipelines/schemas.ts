import { Type, type Static } from 'typebox';
import { pageSchema, pageQuery } from '../../platform/store/paging.ts';
import {
  define,
  ID_PATTERN,
  Name,
  namesRecord,
  nullable,
  oneOf,
  recordId,
  ref,
  strict,
  Timestamp,
  plain,
} from '../../platform/values/schema.ts';
import { declareLimit } from '../../platform/values/limits.ts';

const STEP_KINDS = ['OPEN', 'WON', 'LOST'] as const;

/** The most steps of a pipeline: no one reads a board with more columns. */
const MAX_STEPS = declareLimit(50, { topic: 'Messages', what: 'Steps per pipeline', beyond: '400' });
/** The most pipelines of a company. Each change locks all of them, so their number is limited. */
export const MAX_PIPELINES = declareLimit(100, { topic: 'Messages', what: 'Pipelines per company', beyond: '400' });

const name = Name;
const kind = oneOf(STEP_KINDS, 'WON and LOST are the steps in which a conversation ends');

const PipelineStep = define(
  'PipelineStep',
  Type.Object({
    _id: recordId('step'),
    name: plain.name,
    order: plain.integer('Its position, from 0'),
    kind: oneOf(STEP_KINDS, 'Whether the conversations in it are open, won or lost'),
  }),
);
export type PipelineStep = Static<typeof PipelineStep>;

export const Pipeline = define(
  'Pipeline',
  Type.Object({
    _id: recordId('pipeline'),
    company: recordId('company'),
    name: plain.name,
    is_default: plain.flag("Whether it is the company's default pipeline"),
    steps: Type.Array(ref(PipelineStep), { description: 'The steps, in order' }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
);
export type Pipeline = Static<typeof Pipeline>;

const newStepProperties = {
  name,
  order: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 9_999,
      description: 'Each step has a different order; by default its position in the list',
    }),
  ),
  kind: Type.Optional(kind),
};
const stepListLimits = { minItems: 1, maxItems: MAX_STEPS };

export const PipelineCreate = define(
  'PipelineCreate',
  strict({
    name,
    is_default: Type.Optional(plain.flag('true makes this pipeline the default instead of the current one')),
    steps: Type.Array(strict(newStepProperties), { ...stepListLimits, description: 'The steps, in order' }),
  }),
);
export type PipelineCreate = Static<typeof PipelineCreate>;

const GivenStep = strict({ _id: Type.Optional(recordId('step')), ...newStepProperties });
export type GivenStep = Static<typeof GivenStep>;

export const PipelineUpdate = define(
  'PipelineUpdate',
  strict({
    name: Type.Optional(name),
    is_default: Type.Optional(plain.flag('true makes this pipeline the default instead of the current one')),
    steps: Type.Optional(
      Type.Array(GivenStep, {
        ...stepListLimits,
        description:
          'Replaces the list: a step with its _id is kept, a step without an _id is new, and a step that is left out is removed',
      }),
    ),
    replacements: Type.Optional(
      Type.Unsafe<Record<string, string>>({
        type: 'object',
        propertyNames: namesRecord('step'),
        patternProperties: { [ID_PATTERN]: recordId('step') },
        additionalProperties: false,
        maxProperties: MAX_STEPS,
        description: 'Where the conversations of a removed step go: its id → the id of a remaining step',
      }),
    ),
  }),
);
export type PipelineUpdate = Static<typeof PipelineUpdate>;

export const PipelineParams = Type.Object({ id: recordId('pipeline') });
export const PipelineList = pageSchema(ref(Pipeline));
export const PipelineQuery = pageQuery('-createdAt', {});
export type PipelineQuery = Static<typeof PipelineQuery>;

export const PipelineRemoval = strict({
  replacement: Type.Optional(recordId('step', 'The step of another pipeline to which its conversations move')),
});
export type PipelineRemoval = Static<typeof PipelineRemoval>;

const NamedStep = Type.Object({
  _id: recordId('step', 'The step'),
  name: plain.name,
});

/** The data of the event CONVERSATION_STEP_CHANGED. */
export const StepChanged = define(
  'StepChanged',
  plain.object('A conversation has moved to another step of a pipeline', {
    conversationId: recordId('conversation', 'The conversation'),
    contactId: recordId('contact', 'The contact'),
    companyId: recordId('company', 'The company'),
    pipeline: nullable(recordId('pipeline', 'The pipeline of the new step')),
    previousStep: Type.Unsafe<Static<typeof NamedStep> | null>({
      ...nullable(NamedStep),
      description: 'The previous step; null if it was in none',
    }),
    currentStep: plain.object('The new step', NamedStep.properties),
    origin: Type.Optional(
      oneOf(
        ['DASHBOARD', 'AGENT', 'API', 'CAMPAIGN'],
        'Who moved it: a user, an agent, a key, or a campaign; absent if it was none of them',
      ),
    ),
    campaignId: nullable(recordId('campaign', 'The campaign that moved it; null if none did')),
    userId: nullable(recordId('user', 'The user who moved it; null if no user did')),
    changedAt: Type.String({ ...Timestamp, description: 'When it moved: ISO 8601 UTC with milliseconds' }),
  }),
);
export type StepChanged = Static<typeof StepChanged>;

/** Who moved a conversation, for the event CONVERSATION_STEP_CHANGED. */
export const StepCause = Type.Object({
  origin: Type.Union([oneOf(['DASHBOARD', 'AGENT', 'API', 'CAMPAIGN']), Type.Null()]),
  campaign: Type.Union([recordId('campaign'), Type.Null()]),
  user: Type.Union([recordId('user'), Type.Null()]),
});
export type StepCause = Static<typeof StepCause>;
