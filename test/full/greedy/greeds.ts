/** The ways in which a greedy company uses its limits to the full, by name. */
import { API_DESCRIPTIONS, HALF_SENT_BODIES, JUNK_CALLBACKS, LARGE_CALLBACKS } from './connections.ts';
import type { GreedyBehaviour } from './play.ts';
import { EXPORTS, LARGE_LISTS, LARGE_RECORDS, OWN_PATCHES, SEARCHES } from './records.ts';
import { EMPTY_ROWS, POISON_CELLS, STRING_BOMBS } from './sheets.ts';

export const GREEDS: Record<string, GreedyBehaviour> = {
  'poison cells': POISON_CELLS,
  'bombs of strings': STRING_BOMBS,
  'empty rows': EMPTY_ROWS,
  'fat records': LARGE_RECORDS,
  'lists of fat records': LARGE_LISTS,
  exports: EXPORTS,
  searches: SEARCHES,
  'patches of its own company': OWN_PATCHES,
  'large callbacks': LARGE_CALLBACKS,
  'junk callbacks': JUNK_CALLBACKS,
  'half-sent bodies': HALF_SENT_BODIES,
  'the description': API_DESCRIPTIONS,
};
