/** The most characters of a message, counted as the platform counts them: an emoji of one code point is one character. */
export const MOST_CHARACTERS = 4_096;

/** Returns the beginning of a text that fits in a message. */
export function cutText(text: string): string {
  if (text.length <= MOST_CHARACTERS) return text;
  // A character has at most two units of UTF-16, so no more of a huge text is looked at.
  return Array.from(text.slice(0, 2 * MOST_CHARACTERS))
    .slice(0, MOST_CHARACTERS)
    .join('');
}
