/** Opens a workbook (XLSX), which is a zip of XML files. */
import type { ByteSource } from '../../store/byte-source.ts';
import { fileFault } from '../file-fault.ts';
import { openZip, type OpenZip } from '../zip.ts';

export type Workbook = Pick<OpenZip, 'inflatedBytes' | 'part' | 'close'>;

// An ordinary workbook has some twenty parts.
const KIND = { name: 'workbook', maxParts: 200 };

/** Opens a workbook. Throws when its zip directory shows that the file is broken, too large, or something else. */
export async function openWorkbook(source: ByteSource): Promise<Workbook> {
  const zip = await openZip(source, KIND);
  if (zip.has('xl/workbook.xml')) return zip;
  zip.close();
  throw fileFault('is a zip, but no workbook', 'NOT_A_SHEET');
}
