/**
 * The program of the child processes that read files of companies: spreadsheets, with one converter for each kind of record, attachments,
 * which they inspect, convert and draw, and whose text they read, and mails, which they translate and take files out of. The code that reads
 * spreadsheets, documents and mails is loaded with the first of them, because it takes ten times as long to load as the rest.
 */
import { isItemExtraction, isTranslation } from './channels/fetching.ts';
import { isExtraction, isPagesRequest, isTextRequest } from './features/knowledge/extract/request.ts';
import { serveParent, type Worker } from './platform/work/child-work.ts';
import { answerConversion, isConversion } from './platform/work/media/convert.ts';
import { answerInspection, isInspection } from './platform/work/media/inspection.ts';
import { answerView, isViewRequest } from './platform/work/media/view.ts';

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
  if (isViewRequest(request)) return answerView(request, supply);
  if (isExtraction(request) || isTextRequest(request) || isPagesRequest(request)) {
    const extraction = await import('./features/knowledge/extract/extraction.ts');
    if (isTextRequest(request)) return extraction.answerText(request, supply);
    if (isPagesRequest(request)) return extraction.answerPages(request, supply);
    return extraction.answerExtraction(request, supply);
  }
  if (isItemExtraction(request)) {
    const translation = await import('./channels/translation.ts');
    return translation.answerExtraction(request, supply);
  }
  if (isTranslation(request)) {
    const { answerTranslation } = await import('./channels/translation.ts');
    return answerTranslation(request, supply);
  }
  const readSheet = await (sheetReader ??= loadSheetReader());
  return readSheet(request, supply);
});
