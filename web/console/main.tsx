/** Starts the console in the browser. */
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { getLanguage } from './texts/language.ts';
import { loadTexts } from './texts/load-texts.ts';

const place = document.getElementById('app');
if (!place) throw new Error('The page has no place for the console');
await loadTexts(getLanguage());
createRoot(place).render(<App />);
