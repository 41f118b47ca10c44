/** Shows the API reference in the colour scheme of the reader, and adds a link back to the guides. */
const dark = matchMedia('(prefers-color-scheme: dark)');
const applyColourScheme = (): void => void document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', applyColourScheme);
applyColourScheme();

const script = document.querySelector<HTMLScriptElement>('script[src$="/theme/page.js"]');
const back = document.createElement('a');
// The script has the URL <docs>/api/static/theme/page.js, from which the URL of the guides is derived.
back.href = new URL('../../../../docs', script?.src ?? location.href).href;
back.className = 'guides';
back.textContent = '← Guides';
document.body.prepend(back);

const viewport = document.createElement('meta');
viewport.name = 'viewport';
viewport.content = 'width=device-width, initial-scale=1';
document.head.append(viewport);
