// The tabs, one for each network. Arrow keys move between them, and the address of the page names the open one.
import { byId, make } from './elements.js';

/** Builds the tabs. `onOpen` runs with the network of the tab that is opened, and at the start. */
export function buildTabs(networks, onOpen) {
  const tabs = networks.map(({ id, label, more = '' }) => {
    const tab = make('button', 'tab', label, make('span', 'more', more), make('span', 'unseen'));
    tab.type = 'button';
    tab.id = `tab-${id}`;
    tab.setAttribute('role', 'tab');
    tab.setAttribute('aria-controls', 'desk');
    tab.addEventListener('click', () => (location.hash = id));
    return tab;
  });
  const findOpen = () => networks.find(({ id }) => id === location.hash.slice(1)) ?? networks[0];
  const open = () => {
    const network = findOpen();
    for (const tab of tabs) {
      const isOpen = tab.id === `tab-${network.id}`;
      tab.setAttribute('aria-selected', String(isOpen));
      tab.tabIndex = isOpen ? 0 : -1;
      if (!isOpen) continue;
      mark(tab, false);
      tab.scrollIntoView({ block: 'nearest', inline: 'nearest' });
      byId('desk').setAttribute('aria-labelledby', tab.id);
    }
    onOpen(network);
  };
  byId('tabs').replaceChildren(...tabs);
  byId('tabs').addEventListener('keydown', (event) => {
    const at = tabs.indexOf(document.activeElement);
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (at < 0 || next === undefined) return;
    event.preventDefault();
    const tab = tabs[(next + tabs.length) % tabs.length];
    tab.focus();
    tab.click();
  });
  addEventListener('hashchange', open);
  open();
}

/** Marks the tab of a network as one with news. */
export function markNews(id) {
  const tab = byId(`tab-${id}`);
  if (tab && tab.getAttribute('aria-selected') !== 'true') mark(tab, true);
}

function mark(tab, hasNews) {
  tab.classList.toggle('news', hasNews);
  tab.lastChild.textContent = hasNews ? ', has news' : '';
}
