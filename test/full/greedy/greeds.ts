/** The ways in which a greedy company uses its limits to the full, by name. */
import { descriptions, halfSentBodies, junkCallbacks, largeCallbacks } from './connections.ts';
import type { Greed } from './play.ts';
import { exports, fatLists, fatRecords, ownPatches, searches } from './records.ts';
import { emptyRows, poisonCells, stringBombs } from './sheets.ts';

export const GREEDS: Record<string, Greed> = {
  'poison cells': poisonCells,
  'bombs of strings': stringBombs,
  'empty rows': emptyRows,
  'fat records': fatRecords,
  'lists of fat records': fatLists,
  exports,
  searches,
  'patches of its own company': ownPatches,
  'large callbacks': largeCallbacks,
  'junk callbacks': junkCallbacks,
  'half-sent bodies': halfSentBodies,
  'the description': descriptions,
};
