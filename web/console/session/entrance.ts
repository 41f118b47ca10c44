/** How a person comes in: with the link that a start of the platform prints, or with the session that the browser has. */
import { isParleyError } from '@parley/sdk';
import { parley } from '../client.ts';
import { getTexts } from '../texts/texts.ts';
import { showError } from '../ui/toast.tsx';
import { isLoggedIn, readSession } from './session.ts';
import { LOG_IN } from './texts.ts';

const MARK = '#link=';

/** Takes the token of a link out of the address, so that neither the history nor a copied address has it. */
function takeToken(): string | null {
  if (!location.hash.startsWith(MARK)) return null;
  const token = location.hash.slice(MARK.length);
  history.replaceState(history.state, '', location.pathname + location.search);
  return token;
}

export async function enter(): Promise<void> {
  const token = takeToken();
  const refusal = token === null ? null : await openByLink(token);
  await readSession();
  // Whoever is logged in already does not need the link.
  if (refusal !== null && !isLoggedIn()) showError(refusal);
}

/** Returns why the link does not log in; null when it does. */
async function openByLink(token: string): Promise<unknown> {
  try {
    await parley.auth.openSessionByLink({ token });
    return null;
  } catch (error) {
    const isUseless = isParleyError(error) && error.code === 'INVALID_RESET_TOKEN';
    return isUseless ? getTexts(LOG_IN).linkIsUsed : error;
  }
}
