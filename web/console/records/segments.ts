/** Segments: saved filters of the list of contacts. */
import type { Segment } from '@parley/sdk';
import { parley } from '../client.ts';
import { useAllSegments } from './company.ts';
import { createSaved } from './saved.ts';

export const SEGMENTS = createSaved<Segment>({
  list: 'segments',
  useAll: useAllSegments,
  update: (id, change) => parley.segments.update(id, change),
  remove: (id) => parley.segments.delete(id),
  count: async (signal) =>
    (await parley.segments.count({ signal })).segments.map(({ segment, count }) => [segment, count]),
});
