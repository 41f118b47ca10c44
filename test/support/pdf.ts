/** Makes small PDFs, so that tests need no files and can break them. */

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
  let file = '%PDF-1.4\n%\xe2\xe3\xcf\xd3\n';
  const offsets = objects.map((object, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  const trailer = `<< /Size ${size} /Root 1 0 R ${isEncrypted ? ENCRYPTION : ''} >>`;
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
