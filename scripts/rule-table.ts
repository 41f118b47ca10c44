/** Writes the table of docs/messages.md that says which messages are not sent, and by which code each caller learns it. */
import { RULES, type Codes } from '../src/features/admission/admission.ts';
import { writeTable } from './built-files.ts';

export const writeRuleTable = (): string[] =>
  writeTable(
    ['Reason', 'Message', 'Bulk send', 'Campaign and its preview'],
    RULES.map(({ codes, message }) => [
      typeof message === 'string' ? message : message('this type of content'),
      ...(['MESSAGE', 'BULK', 'CAMPAIGN'] as const satisfies (keyof Codes)[]).map((caller) => codes[caller] ?? '–'),
    ]),
  );
