/** The reference in the reader's colours, and the way back to the guides. */
const dark = matchMedia('(prefers-color-scheme: dark)');
const paint = (): void => void document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', paint);
paint();

const script = document.querySelector<HTMLScriptElement>('script[src$="/theme/page.js"]');
const back = document.createElement('a');
// The script is at <docs>/api/static/theme/page.js.
back.href = new URL('../../../../docs', script?.src ?? location.href).href;
back.className = 'guides';
back.textContent = '← Guides';
document.body.prepend(back);

const viewport = document.createElement('meta');
viewport.name = 'viewport';
viewport.content = 'width=device-width, initial-scale=1';
document.head.append(viewport);
