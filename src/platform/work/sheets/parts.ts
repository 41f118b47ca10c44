/** Reads the parts of a workbook that are needed before its sheet: the path of the first sheet, and which styles are dates. */
import { posix } from 'node:path';
import type { Workbook } from './workbook.ts';
import { readXml, type TagHandlers } from './xml.ts';

export interface WorkbookParts {
  sheetPath: string;
  /** The numbers of cell styles that show a date. */
  dateStyles: Set<number>;
  /** True for a workbook whose dates count from 1904, as old Macs wrote them. */
  from1904: boolean;
}

const SMALL_BYTES = 10 * 1024 * 1024;
// Excel allows at most 65,490 styles.
const MAX_STYLES = 65_536;

export async function readWorkbookParts(workbook: Workbook): Promise<WorkbookParts> {
  const { firstSheet, from1904 } = await readWorkbookXml(workbook);
  return {
    sheetPath: await findSheetPath(workbook, firstSheet),
    dateStyles: await readDateStyles(workbook),
    from1904,
  };
}

async function readWorkbookPart(workbook: Workbook, path: string, handlers: TagHandlers): Promise<void> {
  const part = workbook.part(path, SMALL_BYTES);
  if (part) for await (const _ of readXml(part, handlers));
}

async function readWorkbookXml(workbook: Workbook): Promise<{ firstSheet: string | null; from1904: boolean }> {
  let firstSheet: string | null = null;
  let from1904 = false;
  await readWorkbookPart(workbook, 'xl/workbook.xml', {
    open(name, attributes) {
      if (name === 'workbookPr') from1904 = /^(1|true)$/.test(attributes['date1904'] ?? '');
      if (name === 'sheet') firstSheet ??= attributes['r:id'] ?? null;
    },
  });
  return { firstSheet, from1904 };
}

async function findSheetPath(workbook: Workbook, id: string | null): Promise<string> {
  let path = 'xl/worksheets/sheet1.xml';
  await readWorkbookPart(workbook, 'xl/_rels/workbook.xml.rels', {
    open(name, attributes) {
      const target = attributes['Target'];
      if (name === 'Relationship' && attributes['Id'] === id && target)
        path = target.startsWith('/') ? target.slice(1) : posix.join('xl', target);
    },
  });
  return path;
}

/** Returns true for a built-in number format that shows a date; 18 to 21 and 45 to 47 show only a time. */
const isDateFormat = (id: number): boolean =>
  (id >= 14 && id <= 17) || id === 22 || (id >= 27 && id <= 36) || (id >= 50 && id <= 58);

async function readDateStyles(workbook: Workbook): Promise<Set<number>> {
  const dates = new Set<number>();
  const ownFormats = new Map<number, boolean>();
  let isStyle = false;
  let count = 0;
  await readWorkbookPart(workbook, 'xl/styles.xml', {
    open(name, attributes) {
      if (name === 'numFmt')
        ownFormats.set(Number(attributes['numFmtId']), isDatePattern(attributes['formatCode'] ?? ''));
      else if (name === 'cellXfs') isStyle = true;
      else if (name === 'xf' && isStyle) {
        const id = Number(attributes['numFmtId'] ?? 0);
        if (count < MAX_STYLES && (ownFormats.get(id) ?? isDateFormat(id))) dates.add(count);
        count += 1;
      }
    },
    close(name) {
      if (name === 'cellXfs') isStyle = false;
    },
  });
  return dates;
}

/** Returns true for a number format that contains a day or a year, outside of quotes, colours and escaped letters. */
function isDatePattern(format: string): boolean {
  // Excel allows 255 characters. The expression below would take very long on a longer text with many brackets.
  if (format.length > 255) return false;
  return /[dy]/i.test(format.replaceAll(/"[^"]*"|\[[^\]]*\]|\\.|_.|\*./g, ''));
}
