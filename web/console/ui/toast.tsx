/** Short notices at the edge of the page. Errors stay until they are closed. */
import { Toast as Base } from '@base-ui/react/toast';
import type { ReactElement, ReactNode } from 'react';
import { returnToComposer } from '../frame/writing.ts';
import { useTexts } from '../texts/texts.ts';
import { Icon } from './icon.tsx';
import { OpenConversationLink } from './open-conversation-link.tsx';
import { explainError, findOpenConversation } from './problem.ts';
import { COMMON } from './texts.ts';
import styles from './toast.module.css';

interface NoticeData {
  /** The conversation to which the notice leads, and whether it is the open one of the contact. */
  conversation: string | null;
  isOther: boolean;
}

const notices = Base.createToastManager<NoticeData>();

/** A button of a notice. */
interface NoticeAction {
  label: string;
  run(): void;
}

const NOTICE_MS = 4_000;
/** Long enough to notice a mistake and to reach the button. */
const ACTION_MS = 10_000;

export function showNotice(title: string, action?: NoticeAction): void {
  const id = notices.add({
    title,
    type: 'done',
    timeout: action ? ACTION_MS : NOTICE_MS,
    ...(action && {
      actionProps: {
        children: action.label,
        onClick: () => {
          notices.close(id);
          action.run();
        },
      },
    }),
  });
}

export const showError = (error: unknown): void =>
  addError(explainError(error), { conversation: findOpenConversation(error), isOther: true });

/** Says what is wrong with a conversation that may not be on the screen. */
export const showErrorOf = (conversation: string, title: string): void =>
  addError(title, { conversation, isOther: false });

const addError = (title: string, data: NoticeData): void =>
  void notices.add({ title, type: 'error', priority: 'high', timeout: 0, data });

export function Notices({ children }: { children: ReactNode }): ReactElement {
  return (
    <Base.Provider toastManager={notices} limit={4}>
      {children}
      <Base.Portal>
        <Base.Viewport className={styles['viewport']}>
          <NoticeList />
        </Base.Viewport>
      </Base.Portal>
    </Base.Provider>
  );
}

function NoticeList(): ReactElement[] {
  const { toasts } = Base.useToastManager<NoticeData>();
  const texts = useTexts(COMMON);
  return toasts.map((toast) => (
    <Base.Root
      key={toast.id}
      toast={toast}
      data-notice
      className={`${styles['toast']} ${toast.type === 'error' ? styles['error'] : ''}`}
    >
      <Base.Title className={styles['title']} />
      {toast.data?.conversation && (
        <OpenConversationLink
          conversation={toast.data.conversation}
          {...(!toast.data.isOther && { label: texts.toConversation })}
          onOpen={() => notices.close(toast.id)}
        />
      )}
      <Base.Action className={styles['action']} />
      <Base.Close className={styles['close']} aria-label={texts.close} onClick={returnToComposer}>
        <Icon name="close" size={14} />
      </Base.Close>
    </Base.Root>
  ));
}
