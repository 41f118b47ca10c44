/** Mails the user a link to set a password, and says where one is needed first. */
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { parley } from '../client.ts';
import { defineTexts, useTexts } from '../texts/texts.ts';
import { Button } from '../ui/button.tsx';
import { showError, showNotice } from '../ui/toast.tsx';
import { useSession } from './session.ts';

const PASSWORD_LINK = defineTexts(
  {
    first:
      'This needs a password. You don’t have one yet, because you log in with single sign-on. Set one with a link that we mail you, and log in again.',
    send: 'Send the link',
    sent: (email: string) => `The link is on its way to ${email}`,
    written:
      'This installation has no mail server. The link was saved in the folder “mail” of its data: ask the person who runs it.',
  },
  {
    'pt-BR': {
      first:
        'Para isto é preciso uma senha. Você ainda não tem uma, porque entra pelo login único. Defina-a com um link que enviamos por e-mail e entre de novo.',
      send: 'Enviar o link',
      sent: (email) => `O link está a caminho de ${email}`,
      written:
        'Esta instalação não tem servidor de e-mail. O link foi salvo na pasta “mail” dos dados dela: peça-o a quem a opera.',
    },
    es: {
      first:
        'Para esto necesita una contraseña. Aún no tiene una, porque entra con inicio de sesión único. Defínala con un enlace que le enviamos por correo y entre de nuevo.',
      send: 'Enviar el enlace',
      sent: (email) => `El enlace está en camino a ${email}`,
      written:
        'Esta instalación no tiene servidor de correo. El enlace se guardó en la carpeta “mail” de sus datos: pídalo a quien la opera.',
    },
  },
);

export function PasswordLink(): ReactElement {
  const texts = useTexts(PASSWORD_LINK);
  const { user } = useSession();
  const send = useMutation({
    mutationFn: () => parley.auth.forgotPassword({ email: user.email }),
    onSuccess: ({ mail_server }) => mail_server && showNotice(texts.sent(user.email)),
    onError: showError,
  });
  return (
    <div>
      {send.data?.mail_server === false && <p role="status">{texts.written}</p>}
      <Button isBusy={send.isPending} onClick={() => send.mutate()}>
        {texts.send}
      </Button>
    </div>
  );
}

/** Shown instead of a form that asks for the password of a user without one. */
export function PasswordFirst(): ReactElement {
  const texts = useTexts(PASSWORD_LINK);
  return (
    <>
      <p>{texts.first}</p>
      <PasswordLink />
    </>
  );
}
