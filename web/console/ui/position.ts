/** The place of a record in an order. People count from 1, and the API from 0. */

export const toShownPosition = (position: number): number => position + 1;

/** What is no number goes out as it was typed, and the platform says what is wrong with it. */
export const toApiPosition = (shown: number | string | null): number =>
  typeof shown === 'number' ? Math.max(0, shown - 1) : ((shown ?? 0) as number);
