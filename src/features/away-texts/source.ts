/** Sends the away texts of inboxes to contacts who write outside of business hours. */
import { findAvailability } from '../../channels/office-hours.ts';
import type { LeasedTable } from '../../platform/work/claims/leases.ts';
import { createAutomaticSource } from '../sends/due/automatic.ts';
import { lockAwayText } from './queries.ts';

export const AWAY_QUEUE: LeasedTable = { table: 'away_texts', order: 'created_at', open: 'ended_at is null' };

export const AWAY_TEXTS = createAutomaticSource({
  queue: AWAY_QUEUE,
  actor: 'away',
  lock: lockAwayText,
  compose: (_kit, _place, { text, hours, is_wanted }) =>
    is_wanted && text !== null && !findAvailability(hours, new Date()).is_open
      ? { contentType: 'TEXT', content: text }
      : null,
});
