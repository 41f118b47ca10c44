/** Texts of people in the forms that programs compare: without case, without accents, as a slug. */

/** What fold() of the database makes of a text, nearly: small letters without accents. */
export function foldText(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase();
}

/** A slug is as long as this at most. */
export const MAX_SLUG = 64;

/** "Número do pedido" → numero_do_pedido; `<prefix>_` before one that begins with a digit; null when nothing can stand in it. */
export function slugOf(text: string, prefix: string): string | null {
  const slug = foldText(text)
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');
  if (!slug) return null;
  const begun = /^[a-z]/.test(slug) ? slug : `${prefix}_${slug}`;
  return begun.slice(0, MAX_SLUG).replace(/_+$/, '');
}
