/** The program of the child processes that read uploaded spreadsheets, with one converter for each kind of record. */
import { rowsToPeople } from './features/contacts/import/rows.ts';
import { createReading } from './features/imports/reading.ts';
import { rowsToData } from './features/tables/rows/import-rows.ts';
import { serveParent } from './platform/child-work.ts';

serveParent(createReading({ CONTACTS: rowsToPeople, TABLE: rowsToData }));
