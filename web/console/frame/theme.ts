/** Light or dark: as the system says, unless it was chosen here. */
import { createStore, keep, readKept, useStore } from '../store.ts';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEPT_AS = 'parley.theme';
const theme = createStore<Theme>(THEMES.find((each) => each === readKept(KEPT_AS)) ?? 'system');

function show(): void {
  const chosen = theme.get();
  if (chosen === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = chosen;
}

theme.follow(show);
show();

export const useTheme = (): Theme => useStore(theme);

export function chooseTheme(chosen: Theme): void {
  keep(KEPT_AS, chosen === 'system' ? null : chosen);
  theme.set(chosen);
}
