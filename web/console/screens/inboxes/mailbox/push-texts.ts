import { defineTexts } from '../../../texts/texts.ts';

export const PUSH = defineTexts(
  {
    title: 'Mails pushed by a server',
    closed: 'The platform reads the mailbox. A mail server or a program can also push each mail immediately.',
    open: 'A mail server sends each mail unchanged (message/rfc822) by POST to this address, with the secret in the header x-hook-secret. A mail that is also in the mailbox appears once.',
    address: 'Address',
    secret: 'Secret',
    secretHint: 'It is shown only now. Copy it into your mail server.',
    begin: 'Enable pushing',
    renew: 'Generate a new secret',
    end: 'Disable pushing',
    reallyEnd: 'Reject mails from the server?',
  },
  {
    'pt-BR': {
      title: 'E-mails entregues por um servidor',
      closed: 'A caixa é lida sozinha. Um servidor de e-mail ou um programa também pode entregar cada e-mail na hora.',
      open: 'Um servidor de e-mail envia cada e-mail como ele é (message/rfc822) por POST a este endereço, com o segredo no cabeçalho x-hook-secret. Um e-mail que também está na caixa aparece uma vez.',
      address: 'Endereço',
      secret: 'Segredo',
      secretHint: 'Ele só aparece agora. Copie-o para o seu servidor de e-mail.',
      begin: 'Permitir',
      renew: 'Criar um novo segredo',
      end: 'Não permitir mais',
      reallyEnd: 'Recusar mesmo os e-mails do servidor?',
    },
    es: {
      title: 'Correos que entrega un servidor',
      closed:
        'El buzón se lee solo. Un servidor de correo o un programa también puede entregar cada correo al instante.',
      open: 'Un servidor de correo envía cada correo tal como es (message/rfc822) por POST a esta dirección, con el secreto en el encabezado x-hook-secret. Un correo que también está en el buzón aparece una vez.',
      address: 'Dirección',
      secret: 'Secreto',
      secretHint: 'Solo se muestra ahora. Cópielo en su servidor de correo.',
      begin: 'Permitirlo',
      renew: 'Crear un secreto nuevo',
      end: 'No permitirlo más',
      reallyEnd: '¿Rechazar de verdad los correos del servidor?',
    },
  },
);
