/** The links to the screens: a column beside them, or on a phone a bar below with the daily ones and a sheet with all. */
import { useState, type ReactElement } from 'react';
import { Link, useLocation } from 'wouter';
import { useTexts } from '../texts/texts.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { COMMON } from '../ui/texts.ts';
import { AccountMenu } from './account-menu.tsx';
import styles from './frame.module.css';
import { useVisibleScreens, type Screen } from './screens.ts';
import { FRAME, SCREEN_NAMES } from './texts.ts';

export function Navigation(): ReactElement {
  const texts = useTexts(FRAME);
  const common = useTexts(COMMON);
  const [isOpen, open] = useState(false);
  return (
    <div className={styles['place']}>
      <nav className={styles['rail']} aria-label={texts.navigation}>
        {useVisibleScreens().map((screen) => (
          <NavigationLink key={screen.path} screen={screen} />
        ))}
        <button type="button" className={`${styles['link']} ${styles['all']}`} onClick={() => open(true)}>
          <Icon name="more" size={20} />
          <span className={styles['name']}>{common.more}</span>
        </button>
        <AccountMenu />
      </nav>
      {isOpen && <AllScreens onClose={() => open(false)} />}
    </div>
  );
}

function AllScreens({ onClose }: { onClose(): void }): ReactElement {
  const texts = useTexts(FRAME);
  return (
    <Dialog title={texts.more} onClose={onClose}>
      <nav className={styles['sheet']} aria-label={texts.more}>
        {useVisibleScreens().map((screen) => (
          <NavigationLink key={screen.path} screen={screen} onOpen={onClose} />
        ))}
      </nav>
      <AccountMenu />
    </Dialog>
  );
}

function NavigationLink({ screen, onOpen }: { screen: Screen; onOpen?: () => void }): ReactElement {
  const names = useTexts(SCREEN_NAMES);
  const [location] = useLocation();
  const { path, name, icon, isDaily } = screen;
  const isHere = location === `/${path}` || location.startsWith(`/${path}/`);
  return (
    <Link
      href={`/${path}`}
      className={styles['link']}
      data-daily={isDaily}
      aria-current={isHere ? 'page' : undefined}
      title={names[name]}
      onClick={onOpen}
    >
      <Icon name={icon} size={20} />
      <span className={styles['name']}>{names[name]}</span>
    </Link>
  );
}
