/**
 * The program of the child processes that read files of companies: spreadsheets, with one converter for each kind of record, attachments,
 * which they inspect and convert, and whose passages they read, and mails, which they translate. The code that reads spreadsheets, documents
 * and mails is loaded with the first of them, because it takes ten times as long to load as the rest.
 */
import { isTranslation } from './channels/fetching.ts';
import { isExtraction } from './features/knowledge/extract/request.ts';
import { serveParent, type Worker } from './platform/child-work.ts';
import { answerConversion, isConversion } from './platform/media/convert.ts';
import { answerInspection, isInspection } from './platform/media/inspection.ts';

async function loadSheetReader(): Promise<Worker> {
  const [{ createReading }, { rowsToPeople }, { rowsToData }, { rowsToRecipients }] = await Promise.all([
    import('./features/imports/reading.ts'),
    import('./features/contacts/import/rows.ts'),
    import('./features/tables/rows/import-rows.ts'),
    import('./features/bulk/sheet-rows.ts'),
  ]);
  return createReading({ CONTACTS: rowsToPeople, TABLE: rowsToData, BULK: rowsToRecipients });
}

let sheetReader: Promise<Worker> | undefined;

serveParent(async (request, supply) => {
  if (isInspection(request)) return answerInspection(request, supply);
  if (isConversion(request)) return answerConversion(request, supply);
  if (isExtraction(request)) {
    const { answerExtraction } = await import('./features/knowledge/extract/extraction.ts');
    return answerExtraction(request, supply);
  }
  if (isTranslation(request)) {
    const { answerTranslation } = await import('./channels/translation.ts');
    return answerTranslation(request, supply);
  }
  const readSheet = await (sheetReader ??= loadSheetReader());
  return readSheet(request, supply);
});
