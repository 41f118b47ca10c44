/** What a child process runs that reads sheets: the kinds of records that a sheet may bring. */
import { rowsToPeople } from './features/contacts/import-rows.ts';
import { createReading } from './features/imports/reading.ts';
import { rowsToData } from './features/tables/import-rows.ts';
import { serveParent } from './platform/child-work.ts';

serveParent(createReading({ CONTACTS: rowsToPeople, TABLE: rowsToData }));
