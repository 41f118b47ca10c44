/** Asks contacts whose conversation was closed whether they were satisfied. The message leaves the conversation closed. */
import type { LeasedTable } from '../../platform/work/claims/leases.ts';
import { createAutomaticSource } from '../sends/due/automatic.ts';
import { composeSurvey } from './compose.ts';
import { lockSurvey } from './queries.ts';

export const CSAT_QUEUE: LeasedTable = { table: 'csat_surveys', order: 'created_at', open: 'ended_at is null' };

export const CSAT_SURVEYS = createAutomaticSource({
  queue: CSAT_QUEUE,
  actor: 'csat',
  keepsClosed: true,
  lock: lockSurvey,
  compose: (kit, place, { question, language, is_wanted }) =>
    is_wanted ? composeSurvey(kit, place, { question, language }) : null,
});
