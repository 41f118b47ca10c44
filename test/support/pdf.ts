/** Makes small PDFs, so that tests need no files and can break them. */
import { constants, deflateRawSync, deflateSync } from 'node:zlib';

interface PdfOptions {
  /** Protects the text with a password that nobody knows. */
  isEncrypted?: boolean;
}

/** Makes a PDF whose pages have these lines. A page without lines is empty, like that of a scanner without its picture. */
export function makeTextPdf(pages: string[][], { isEncrypted = false }: PdfOptions = {}): Buffer {
  const kids = pages.map((_, index) => `${4 + 2 * index} 0 R`).join(' ');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    ...pages.flatMap(makePage),
  ];
  return writePdf(objects, isEncrypted ? ENCRYPTION : '');
}

/** Makes a PDF of some kilobytes whose only page has this many megabytes of spaces. They are packed twice, so the file names no size. */
export function makePdfBomb(megabytes: number): Buffer {
  const megabyte = deflateRawSync(Buffer.alloc(1024 * 1024, ' '), { finishFlush: constants.Z_FULL_FLUSH });
  const packed = deflateSync(Buffer.concat([ZLIB_HEAD, ...Array.from({ length: megabytes }, () => megabyte)]));
  return writePdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R >>',
    `<< /Length ${packed.length} /Filter [/FlateDecode /FlateDecode] >>\nstream\n${packed.toString('latin1')}\nendstream`,
  ]);
}

const ZLIB_HEAD = Buffer.from([0x78, 0x9c]);

function writePdf(objects: string[], encryption = ''): Buffer {
  let file = '%PDF-1.4\n%\xe2\xe3\xcf\xd3\n';
  const offsets = objects.map((object, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  const trailer = `<< /Size ${size} /Root 1 0 R ${encryption} >>`;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${rows}`;
  file += `${table}trailer\n${trailer}\nstartxref\n${file.length}\n%%EOF\n`;
  return Buffer.from(file, 'latin1');
}

const ID = `<${'00'.repeat(16)}>`;
const ENCRYPTION = `/ID [${ID} ${ID}] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <${'ab'.repeat(32)}> /U <${'cd'.repeat(32)}> >>`;

function makePage(lines: string[], index: number): string[] {
  const shown = lines.map((line) => `(${line.replaceAll(/[\\()]/g, String.raw`\$&`)}) '`).join('\n');
  const stream = `BT /F1 12 Tf 14 TL 72 770 Td\n${shown}\nET`;
  const resources = '/MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >>';
  return [
    `<< /Type /Page /Parent 2 0 R ${resources} /Contents ${5 + 2 * index} 0 R >>`,
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
  ];
}
