/** Returns the words of a text between single blanks, without case, accents and punctuation. */
export const foldWords = (text: string): string =>
  (
    text
      .normalize('NFD')
      .replaceAll(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  ).join(' ');
