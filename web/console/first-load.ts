/**
 * Runs before the rest of the page is loaded: when a file that the page needs at once does not arrive, it says so and loads the page again after
 * some seconds.
 */
import { findLanguage } from '../browser/texts.ts';
import { readKept } from '../browser/store.ts';
import { countFailure } from './reloads.ts';

addEventListener('error', ({ target }) => isNeeded(target) && fail(), { capture: true });

const isNeeded = (target: EventTarget | null): boolean =>
  target instanceof HTMLScriptElement || (target instanceof HTMLLinkElement && target.rel === 'stylesheet');

let hasFailed = false;

function fail(): void {
  if (hasFailed) return;
  hasFailed = true;
  setTimeout(() => location.reload(), countFailure());
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', show);
  else show();
}

/** Shows the sentence of the page in the reader's language; its link keeps the address. */
function show(): void {
  const language = findLanguage([readKept('parley.language'), ...navigator.languages]) ?? 'en';
  for (const text of document.querySelectorAll<HTMLElement>('.not-loaded')) {
    text.classList.add('shown');
    text.hidden = text.lang !== language;
    text.querySelector('a')?.addEventListener('click', (event) => {
      event.preventDefault();
      location.reload();
    });
  }
}
