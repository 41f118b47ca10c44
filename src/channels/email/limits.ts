/** The most bytes that are read of a mail. Providers take mails of 25 MB. */
import { declareLimit } from '../../platform/values/limits.ts';

export const MAX_MAIL_BYTES = declareLimit(30 * 1024 * 1024, {
  topic: 'E-mail',
  what: 'Received e-mail: size',
  unit: 'bytes',
  beyond: 'only its text is stored; 413 for a pushed one',
});
