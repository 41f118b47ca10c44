import { Type, type Static } from 'typebox';
import { declareLimit } from '../../platform/values/limits.ts';
import { define, nullable, oneOf, plain, recordId, ref, strict, Timestamp } from '../../platform/values/schema.ts';

export const MAX_DAYS = declareLimit(366, {
  topic: 'Records',
  what: 'Report: time from `from` to `to`',
  unit: 'days',
  beyond: '400',
});
export const MAX_PERIODS = declareLimit(800, { topic: 'Records', what: 'Report: periods of a series', beyond: '400' });
/** As many as a person compares in a table. */
export const MAX_SUBJECTS = declareLimit(500, {
  topic: 'Records',
  what: 'Report: rows of a breakdown',
  beyond: 'only those with the most replies, closed and opened conversations',
});

export const PERIOD_UNITS = ['HOUR', 'DAY', 'WEEK', 'MONTH'] as const;
export type PeriodUnit = (typeof PERIOD_UNITS)[number];
export const DIMENSIONS = ['INBOX', 'TEAM', 'USER', 'AGENT', 'CAMPAIGN', 'TAG'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** Whole hours. */
export interface Range {
  from: Date;
  to: Date;
}

/** A part of them that the counters of one grain cover. */
export interface Stretch extends Range {
  grain: 'HOUR' | 'DAY' | 'MONTH';
}

const seconds = (description: string) => nullable(plain.integer(`${description}, in seconds; null without one`));
const score = nullable(Type.Number({ description: 'The average score of the ratings, from 1 to 5; null without one' }));
const times = (what: string) =>
  plain.object(what, {
    count: plain.integer('How many there were'),
    average: seconds('The average'),
    median: seconds('Half of them took at most this long. It is computed from classes, and wrong by a tenth at most'),
    p90: seconds('Nine of ten took at most this long, as exact as the median'),
  });

export const ReportFigures = define(
  'ReportFigures',
  Type.Object({
    opened: plain.integer('New conversations'),
    reopened: plain.integer('Closed conversations that were opened again'),
    first_response: times(
      'How long contacts waited for the first reply, from the first message that waited. A reopened conversation counts again',
    ),
    reply_time: times('How long contacts waited for a reply, each time that one ended their waiting'),
    resolution: times('How long conversations were open when they were closed, since they were last opened'),
    answered: plain.integer('Answers of AI agents'),
    handed_over: plain.integer('Times that an AI agent handed a conversation to people'),
    sla_missed: plain.integer('Times that a target of an SLA policy was missed'),
    csat: plain.object('What contacts answered to satisfaction surveys', {
      sent: plain.integer('Surveys that were sent'),
      rated: plain.integer('Ratings'),
      average: score,
      satisfied: plain.integer('Ratings of 4 or 5'),
    }),
    costs: nullable(
      Type.Array(
        Type.Object({
          currency: plain.text('ISO 4217, as in the prices of the agent'),
          amount: Type.Number({ description: 'What its answers cost' }),
        }),
        {
          description:
            'What the answers of an AI agent cost, by currency; null where the figures are not those of one agent',
        },
      ),
    ),
  }),
);
export type ReportFigures = Static<typeof ReportFigures>;
export type Times = ReportFigures['resolution'];
export type Csat = ReportFigures['csat'];

const RANGE = {
  from: Type.Optional({
    ...Timestamp,
    description: 'The beginning, rounded down to the hour; by default 14 days before `to`',
  }),
  to: Type.Optional({ ...Timestamp, description: 'The end, rounded up to the hour; by default now' }),
};
const FILTERS = {
  inbox: Type.Optional(recordId('inbox', 'Only conversations of this inbox')),
  team: Type.Optional(recordId('team', 'Only conversations that were assigned to this team at the time')),
  user: Type.Optional(recordId('user', 'Only what this user has replied, and closed or owned when it was closed')),
  agent: Type.Optional(recordId('agent', 'Only what this AI agent has done')),
  campaign: Type.Optional(recordId('campaign', 'Only conversations of this campaign')),
  tag: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'Only conversations that had this tag at the time' }),
  ),
};

export const ReportQuery = strict({ ...RANGE, ...FILTERS });
export type ReportQuery = Static<typeof ReportQuery>;
export type ReportFilters = Omit<ReportQuery, 'from' | 'to'>;

const SERIES = {
  by: Type.Optional(oneOf(PERIOD_UNITS, 'The length of a period; by default DAY. A week begins on Monday')),
  time_zone: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: "The IANA time zone of days; by default the company's" }),
  ),
};
export const SeriesQuery = strict({ ...RANGE, ...SERIES, ...FILTERS });
export type SeriesQuery = Static<typeof SeriesQuery>;

export const BreakdownQuery = strict({
  ...RANGE,
  by: Type.Optional(oneOf(DIMENSIONS, 'What the rows are: the records of one kind, or tags; by default USER')),
});
export type BreakdownQuery = Static<typeof BreakdownQuery>;

const range = {
  from: { ...Timestamp, description: 'The first hour' },
  to: { ...Timestamp, description: 'The end of the last hour' },
};

export const ReportNow = define(
  'ReportNow',
  Type.Object({
    open: plain.integer('Open conversations: any status except CLOSED'),
    waiting: plain.integer('Open conversations whose contact waits for a reply'),
    oldest_waiting_since: nullable({ ...Timestamp, description: 'Since when the first of them waits' }),
    unassigned: plain.integer('Open conversations without an owner'),
    users_online: plain.integer('Active users who are ONLINE'),
    users: plain.integer('Active users'),
  }),
);
export type ReportNow = Static<typeof ReportNow>;

export const ReportSummary = define(
  'ReportSummary',
  Type.Object({
    ...range,
    figures: ref(ReportFigures, 'The figures of the time'),
    previous: ref(ReportFigures, 'The same for as long a time before'),
  }),
);
export type ReportSummary = Static<typeof ReportSummary>;

export const ReportSeries = define(
  'ReportSeries',
  Type.Object({
    ...range,
    by: oneOf(PERIOD_UNITS, 'The length of a period'),
    time_zone: plain.text('The IANA time zone of the periods'),
    periods: Type.Array(
      Type.Object({
        start: { ...Timestamp, description: 'The first hour of the period' },
        opened: plain.integer('New conversations'),
        reopened: plain.integer('Closed conversations that were opened again'),
        closed: plain.integer('Conversations that were closed'),
        replies: plain.integer('Replies that ended the waiting of a contact'),
        first_response: seconds('The average time until the first reply'),
        reply_time: seconds('The average time until a reply'),
        resolution: seconds('The average time until conversations were closed'),
        answered: plain.integer('Answers of AI agents'),
        handed_over: plain.integer('Times that an AI agent handed a conversation to people'),
        sla_missed: plain.integer('Times that a target of an SLA policy was missed'),
        csat: score,
        rated: plain.integer('Ratings by contacts'),
        open_at_end: nullable(
          plain.integer(
            'Open conversations at the end of the period, or now; null for a period that has not begun, and with any filter but `inbox`',
          ),
        ),
      }),
      { description: 'Oldest first; the first and the last one may be shorter' },
    ),
  }),
);
export type ReportSeries = Static<typeof ReportSeries>;
export type ReportPeriod = ReportSeries['periods'][number];

export const ReportBreakdown = define(
  'ReportBreakdown',
  Type.Object({
    ...range,
    by: oneOf(DIMENSIONS, 'What the rows are'),
    is_complete: plain.flag(`false if only the ${MAX_SUBJECTS} rows with the most activity are shown`),
    rows: Type.Array(
      Type.Object({
        id: plain.text('The id of the record; for TAG the tag'),
        name: nullable(plain.text('The name of the record, or the tag; null if the record was removed')),
        figures: ref(ReportFigures, 'Its figures'),
      }),
      { description: 'Most activity first' },
    ),
  }),
);
export type ReportBreakdown = Static<typeof ReportBreakdown>;
