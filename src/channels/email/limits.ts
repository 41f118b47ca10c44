/** The most bytes that are read of a mail. Providers take mails of 25 MB. */
export const MAX_MAIL_BYTES = 30 * 1024 * 1024;
