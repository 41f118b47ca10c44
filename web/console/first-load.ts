/**
 * Runs before the rest of the page is loaded. It asks for the texts in the reader's language. When a file that the page needs immediately
 * does not arrive, it says so and loads the page again after some seconds.
 */
import { countFailure } from './reloads.ts';
import { findWantedLanguage } from './texts/wanted-language.ts';

const language = findWantedLanguage() ?? 'en';
const NEEDED = ['stylesheet', 'modulepreload'];

addEventListener('error', ({ target }) => isNeeded(target) && fail(), { capture: true });

const isNeeded = (target: EventTarget | null): boolean =>
  target instanceof HTMLScriptElement || (target instanceof HTMLLinkElement && NEEDED.includes(target.rel));

document.querySelector<HTMLLinkElement>(`link[data-texts="${language}"]`)?.setAttribute('rel', 'modulepreload');

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
  for (const text of document.querySelectorAll<HTMLElement>('.not-loaded')) {
    text.classList.add('shown');
    text.hidden = text.lang !== language;
    text.querySelector('a')?.addEventListener('click', (event) => {
      event.preventDefault();
      location.reload();
    });
  }
}
