/**
 * The links to the screens. Next to them is a rail with one link for each group, and the sections of the group that is open; on a phone, a bar
 * below has the screens of the daily work, and a sheet has all of them.
 */
import { Fragment, useState, type ReactElement } from 'react';
import { Link, useLocation } from 'wouter';
import { openCommandDialog } from '../commands/opened.ts';
import { Bell } from '../notifications/bell.tsx';
import { useCounts } from '../records/conversations.ts';
import { useTexts } from '../texts/texts.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Icon, type IconName } from '../ui/icon.tsx';
import { COMMON } from '../ui/texts.ts';
import { CountBadge } from '../ui/unread-badge.tsx';
import { compose, useMayCompose } from './composing.ts';
import { AccountMenu } from './account-menu.tsx';
import styles from './frame.module.css';
import { isAt, useVisibleScreens, type Screen } from './screens.ts';
import { FRAME, GROUP_NAMES, PART_NAMES, SCREEN_NAMES, type GroupName } from './texts.ts';

/** The icons of the groups that have several screens. */
const GROUP_ICONS: Partial<Record<GroupName, IconName>> = { automation: 'automation', settings: 'settings' };

export function Navigation(): ReactElement {
  const texts = useTexts(FRAME);
  const common = useTexts(COMMON);
  const groups = [...Map.groupBy(useVisibleScreens(), ({ group }) => group)];
  const [isOpen, open] = useState(false);
  const [location] = useLocation();
  // On a phone, these screens are behind the last button.
  const isBehind = groups.some(
    ([, screens]) => !screens[0]?.isDaily && screens.some((screen) => isAt(screen, location)),
  );
  const mayCompose = useMayCompose();
  return (
    <>
      <nav className={styles['rail']} aria-label={texts.navigation}>
        <img src="icon.svg" className={styles['mark']} alt="" />
        <button type="button" className={styles['link']} onClick={() => openCommandDialog('SEARCH')}>
          <Icon name="search" size={20} />
          <span className={styles['name']}>{common.search}</span>
        </button>
        {mayCompose && (
          <button type="button" className={styles['link']} onClick={() => compose()}>
            <Icon name="edit" size={20} />
            <span className={styles['name']}>{texts.compose}</span>
          </button>
        )}
        {groups.map(([group, screens]) => (
          <Fragment key={group}>
            {group === 'settings' && <Bell />}
            <GroupLink group={group} screens={screens} />
          </Fragment>
        ))}
        <button
          type="button"
          className={`${styles['link']} ${styles['all']}`}
          aria-current={isBehind ? 'true' : undefined}
          onClick={() => open(true)}
        >
          <Icon name="more" size={20} />
          <span className={styles['name']}>{common.more}</span>
        </button>
        <AccountMenu />
      </nav>
      <Sections />
      {isOpen && <AllScreens onClose={() => open(false)} />}
    </>
  );
}

/** Opens the first screen of a group. */
function GroupLink({ group, screens }: { group: GroupName; screens: readonly Screen[] }): ReactElement | null {
  const names = useTexts(GROUP_NAMES);
  const [location] = useLocation();
  const [first] = screens;
  if (!first) return null;
  return (
    <Link
      href={`/${first.path}`}
      className={styles['link']}
      data-group={group}
      data-daily={first.isDaily}
      aria-current={screens.some((screen) => isAt(screen, location)) ? 'page' : undefined}
    >
      <Icon name={GROUP_ICONS[group] ?? first.icon} size={20} />
      <span className={styles['name']}>{names[group]}</span>
      {group === 'inbox' && <Unread />}
    </Link>
  );
}

/** The unread conversations of the user and of nobody. */
function Unread(): ReactElement {
  const texts = useTexts(COMMON);
  const count = useCounts().data?.unread ?? 0;
  return (
    <span className={styles['unread']}>
      <CountBadge count={count} label={texts.unreadConversations(count)} />
    </span>
  );
}

/** The screens of the group that is open, where it has several. */
function Sections(): ReactElement | null {
  const names = useTexts(GROUP_NAMES);
  const [location] = useLocation();
  const screens = useVisibleScreens();
  const group = screens.find((screen) => isAt(screen, location))?.group;
  const shown = screens.filter((screen) => screen.group === group);
  if (group === undefined || shown.length < 2) return null;
  return (
    <nav className={styles['sections']} aria-label={names[group]}>
      <p className={styles['title']}>{names[group]}</p>
      <SectionLinks screens={shown} />
    </nav>
  );
}

function SectionLinks({ screens, onOpen }: { screens: readonly Screen[]; onOpen?: () => void }): ReactElement[] {
  const parts = useTexts(PART_NAMES);
  return [...Map.groupBy(screens, ({ part }) => part)].map(([part, inPart]) => (
    <section key={part ?? ''} className={styles['part']}>
      {part && <h2>{parts[part]}</h2>}
      {inPart.map((screen) => (
        <ScreenLink key={screen.path} screen={screen} onOpen={onOpen} />
      ))}
    </section>
  ));
}

function AllScreens({ onClose }: { onClose(): void }): ReactElement {
  const texts = useTexts(FRAME);
  return (
    <Dialog title={texts.more} onClose={onClose}>
      {useMayCompose() && (
        <Button
          icon="edit"
          onClick={() => {
            onClose();
            compose();
          }}
        >
          {texts.compose}
        </Button>
      )}
      <nav className={styles['sheet']} aria-label={texts.more}>
        <SectionLinks screens={useVisibleScreens()} onOpen={onClose} />
      </nav>
      <AccountMenu />
    </Dialog>
  );
}

function ScreenLink({ screen, onOpen }: { screen: Screen; onOpen?: (() => void) | undefined }): ReactElement {
  const names = useTexts(SCREEN_NAMES);
  const [location] = useLocation();
  const { path, name, icon } = screen;
  return (
    <Link
      href={`/${path}`}
      className={styles['section']}
      aria-current={isAt(screen, location) ? 'page' : undefined}
      onClick={onOpen}
    >
      <Icon name={icon} />
      <span>{names[name]}</span>
    </Link>
  );
}
