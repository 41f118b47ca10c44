/** The marks with which a network formats words. A mark is the same before and after the words; an empty one is a format that the network does not have. */
export interface TextMarks {
  bold: string;
  italic: string;
  strike: string;
  /** Before and after code within a line of text. */
  code: string;
  /** Before and after lines of code. */
  codeBlock: string;
}

/** For networks that show marks as they are. */
export const NO_MARKS: TextMarks = { bold: '', italic: '', strike: '', code: '', codeBlock: '' };

/** https://faq.whatsapp.com/539178204879377 */
export const WHATSAPP_MARKS: TextMarks = { bold: '*', italic: '_', strike: '~', code: '`', codeBlock: '```' };
