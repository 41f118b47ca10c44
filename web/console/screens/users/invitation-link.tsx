/** The link of an invitation, where the platform cannot send mails. It is shown once, to the user who invites. */
import type { UserChanged } from '@parley/sdk';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { parley } from '../../client.ts';
import { useMay } from '../../session/session.ts';
import { useTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/button.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { COMMON } from '../../ui/texts.ts';
import { showError } from '../../ui/toast.tsx';
import { USERS } from './texts.ts';

interface InvitationLinkProps {
  name: string;
  link: string;
  onClose(): void;
}

export function InvitationLink({ name, link, onClose }: InvitationLinkProps): ReactElement {
  const texts = useTexts(USERS);
  const common = useTexts(COMMON);
  return (
    <Dialog title={texts.linkTitle(name)} onClose={onClose} actions={<Button onClick={onClose}>{common.close}</Button>}>
      <p>{texts.linkLead}</p>
      <CopyField label={texts.link} value={link} hint={texts.linkHint} />
    </Dialog>
  );
}

/** Invites a person again who has not accepted yet, such as one who has lost the link. */
export function InviteAgain({
  user,
  onInvited,
}: {
  user: string;
  onInvited(changed: UserChanged): void;
}): ReactElement | null {
  const texts = useTexts(USERS);
  const may = useMay('users:create');
  const invite = useMutation({
    mutationFn: () => parley.users.update(user, { status: 'ACTIVE' }),
    onSuccess: onInvited,
    onError: showError,
  });
  if (!may) return null;
  return (
    <Button isBusy={invite.isPending} onClick={() => invite.mutate()}>
      {texts.inviteAgain}
    </Button>
  );
}
