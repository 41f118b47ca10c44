/** The title of the browser's tab: how much is unread, and which screen is shown. */
import { useEffect } from 'react';

let unread = 0;
let screen = '';

function show(): void {
  const count = unread > 0 ? `(${unread}) ` : '';
  document.title = `${count}${screen ? `${screen} · ` : ''}Parley`;
}

export function useTitle(title: string): void {
  useEffect(() => {
    screen = title;
    show();
  }, [title]);
}

export function showUnreadInTitle(count: number): void {
  unread = count;
  show();
}
