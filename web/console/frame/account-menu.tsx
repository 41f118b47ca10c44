/** The menu of the person who works here: availability, appearance, language, log-out. */
import type { User } from '@parley/sdk';
import type { ReactElement } from 'react';
import { toPlatformAddress } from '../client.ts';
import { openCommandDialog } from '../commands/opened.ts';
import { logOut, useMay, useSession } from '../session/session.ts';
import { LANGUAGES } from '../../browser/texts.ts';
import { chooseLanguage, LANGUAGE_NAMES, useLanguage } from '../texts/language.ts';
import { useTexts } from '../texts/texts.ts';
import { Avatar } from '../ui/avatar.tsx';
import { Icon } from '../ui/icon.tsx';
import { Menu, type MenuItem } from '../ui/menu.tsx';
import { showError } from '../ui/toast.tsx';
import { AVAILABILITIES, chooseAvailability } from './availability.ts';
import styles from './frame.module.css';
import { FRAME } from './texts.ts';
import { chooseTheme, THEMES, useTheme } from './theme.ts';
import { findReturn } from './writing.ts';

const openPage = (url: string): void => void window.open(url, '_blank', 'noopener');

/** The choice whether teams assign the user conversations. */
const listAvailability = (texts: (typeof FRAME)['en'], present: User['availability']): MenuItem[] =>
  AVAILABILITIES.map((each, index) => ({
    key: each,
    label: texts[each],
    isChosen: each === present,
    ...(index === 0 && { heading: texts.availability }),
    onSelect: () => chooseAvailability(each),
  }));

export function AccountMenu(): ReactElement {
  const texts = useTexts(FRAME);
  const { user, sandbox } = useSession();
  const theme = useTheme();
  const language = useLanguage();
  const mayAnswer = useMay('messages:create');
  const isAway = mayAnswer && user.availability === 'AWAY';
  const items: MenuItem[] = [
    ...(mayAnswer ? listAvailability(texts, user.availability) : []),
    ...THEMES.map((each, index) => ({
      key: each,
      label: texts[each],
      ...(index === 0 && { heading: texts.theme }),
      isChosen: each === theme,
      onSelect: () => chooseTheme(each),
    })),
    ...LANGUAGES.map((each, index) => ({
      key: each,
      ...(index === 0 && { heading: texts.ownLanguage }),
      label: LANGUAGE_NAMES[each],
      isChosen: each === language,
      onSelect: () => chooseLanguage(each),
    })),
    { key: 'search', label: texts.search, icon: 'search', onSelect: () => openCommandDialog('SEARCH') },
    { key: 'keys', label: texts.keys, icon: 'keyboard', onSelect: () => openCommandDialog('KEYS') },
    ...(sandbox === null
      ? []
      : [{ key: 'phone', label: texts.phone, icon: 'phone' as const, onSelect: () => openPage(`${sandbox}/phone`) }]),
    {
      key: 'docs',
      label: texts.documents,
      icon: 'link',
      onSelect: () => openPage(toPlatformAddress('docs')),
    },
    { key: 'out', label: texts.logOut, icon: 'logout', onSelect: () => void logOut().catch(showError) },
  ];
  return (
    <div className={styles['account']}>
      <Menu
        title={`${user.name} · ${user.email}`}
        items={items}
        finalFocus={findReturn}
        trigger={
          <button
            type="button"
            className={styles['person']}
            title={texts.account}
            aria-label={`${texts.account}: ${user.name}${isAway ? `, ${texts.away}` : ''}`}
          >
            <Avatar name={user.name} picture={user.avatar_url} />
            {isAway && (
              <span className={styles['away']}>
                <Icon name="clock" />
              </span>
            )}
            <span className={styles['who']} dir="auto">
              {user.name}
            </span>
          </button>
        }
      />
    </div>
  );
}
