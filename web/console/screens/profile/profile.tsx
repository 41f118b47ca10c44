/** The user's own name, picture and password, and the settings of the console in this browser. */
import type { ReactElement } from 'react';
import { chooseCompact, useIsCompact } from '../../frame/compact.ts';
import { chooseLetterKeys, useLetterKeys } from '../../frame/shortcuts.ts';
import { FRAME, SCREEN_NAMES } from '../../frame/texts.ts';
import { chooseTheme, THEMES, useTheme } from '../../frame/theme.ts';
import { chooseNotices, useNoticeSettings } from '../../notices/notices.ts';
import { askPermission, usePermission } from '../../notices/permission.ts';
import { NotificationChoice } from '../../notifications/settings.tsx';
import { playSound } from '../../../browser/sound.ts';
import { PasswordLink } from '../../session/password-link.tsx';
import { useSession } from '../../session/session.ts';
import { chooseUndoSeconds, UNDO_SECONDS, useUndoSeconds } from '../../session/undo-seconds.ts';
import { formatDate } from '../../texts/formats.ts';
import { LANGUAGES } from '../../../browser/texts.ts';
import { chooseLanguage, LANGUAGE_NAMES, useLanguage } from '../../texts/language.ts';
import { useTexts } from '../../texts/texts.ts';
import { CheckField, SelectField } from '../../ui/field.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { showError } from '../../ui/toast.tsx';
import { AboutMe } from './about-me.tsx';
import { PasskeysCard } from './passkeys.tsx';
import { SecondFactorCard } from './second-factor.tsx';
import { Signature } from './signature.tsx';
import { SingleSignOnCard } from './single-sign-on.tsx';
import { PROFILE } from './texts.ts';

export function ProfileScreen(): ReactElement {
  const names = useTexts(SCREEN_NAMES);
  const texts = useTexts(PROFILE);
  const { user } = useSession();
  return (
    <Page title={names.profile} lead={`${user.name} · ${user.email} · ${texts.since(formatDate(user.createdAt))}`}>
      <Appearance />
      <AboutMe />
      <Sending />
      <Signature />
      <NotificationChoice />
      <NoticeChoice />
      <Password />
      <SecondFactorCard />
      <PasskeysCard />
      <SingleSignOnCard />
    </Page>
  );
}

function Appearance(): ReactElement {
  const texts = useTexts(FRAME);
  const language = useLanguage();
  const theme = useTheme();
  const isCompact = useIsCompact();
  const hasLetterKeys = useLetterKeys();
  return (
    <Card title={texts.appearance}>
      <SelectField
        label={texts.ownLanguage}
        value={language}
        options={LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }))}
        onChange={chooseLanguage}
      />
      <SelectField
        label={texts.theme}
        value={theme}
        options={THEMES.map((value) => ({ value, label: texts[value] }))}
        onChange={chooseTheme}
      />
      <CheckField label={texts.compact} hint={texts.compactHint} checked={isCompact} onChange={chooseCompact} />
      <CheckField
        label={texts.letterKeys}
        hint={texts.letterKeysHint}
        checked={hasLetterKeys}
        onChange={chooseLetterKeys}
      />
    </Card>
  );
}

function Sending(): ReactElement {
  const texts = useTexts(PROFILE);
  return (
    <Card title={texts.sending}>
      <SelectField
        label={texts.undoSend}
        hint={texts.undoSendHint}
        value={useUndoSeconds()}
        options={UNDO_SECONDS.map((value) => ({ value, label: value === '0' ? texts.off : texts.seconds(value) }))}
        onChange={chooseUndoSeconds}
      />
    </Card>
  );
}

function NoticeChoice(): ReactElement {
  const texts = useTexts(PROFILE);
  const settings = useNoticeSettings();
  const canNotify = usePermission() !== 'MISSING';
  const chooseDesktop = async (desktop: boolean): Promise<void> => {
    const isAllowed = !desktop || (await askPermission()) === 'granted';
    if (!isAllowed) return showError(texts.notAllowed);
    chooseNotices({ ...settings, desktop });
  };
  const chooseSound = (sound: boolean): void => {
    if (sound) playSound();
    chooseNotices({ ...settings, sound });
  };
  return (
    <Card title={texts.notices}>
      <CheckField
        label={texts.desktop}
        hint={canNotify ? texts.desktopHint : texts.notOffered}
        checked={settings.desktop && canNotify}
        disabled={!canNotify}
        onChange={(desktop) => void chooseDesktop(desktop)}
      />
      <CheckField label={texts.sound} checked={settings.sound} onChange={chooseSound} />
    </Card>
  );
}

function Password(): ReactElement {
  const texts = useTexts(PROFILE);
  return (
    <Card title={texts.password}>
      <p>{texts.passwordLead}</p>
      <PasswordLink />
    </Card>
  );
}
