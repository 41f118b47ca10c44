/** Copies a text to the clipboard. */
import { getTexts } from '../texts/texts.ts';
import { COMMON } from './texts.ts';
import { showNotice } from './toast.tsx';

/** Copies the text and says so. Returns false if the browser refuses: it lets a page write to the clipboard over https only. */
export async function copyText(text: string): Promise<boolean> {
  const isCopied = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  );
  if (isCopied) showNotice(getTexts(COMMON).copied);
  return isCopied ?? false;
}
