import { defineTexts } from '../../../texts/texts.ts';

export const MAIL = defineTexts(
  {
    showWhole: 'Show full mail',
    whole: 'Full mail',
    to: 'To',
    cc: 'Cc',
    bcc: 'Bcc',
    subject: 'Subject',
    recipients: 'Recipients and subject',
    noAddress: (text: string) => `“${text}” is not an e-mail address.`,
    replyTo: 'Replies go to',
  },
  {
    'pt-BR': {
      showWhole: 'Mostrar o e-mail inteiro',
      whole: 'O e-mail inteiro',
      to: 'Para',
      cc: 'Cópia',
      bcc: 'Cópia oculta',
      subject: 'Assunto',
      recipients: 'Destinatários e assunto',
      noAddress: (text: string) => `“${text}” não é um endereço de e-mail.`,
      replyTo: 'As respostas vão para',
    },
    es: {
      showWhole: 'Mostrar el correo entero',
      whole: 'El correo entero',
      to: 'Para',
      cc: 'Copia',
      bcc: 'Copia oculta',
      subject: 'Asunto',
      recipients: 'Destinatarios y asunto',
      noAddress: (text: string) => `«${text}» no es una dirección de correo.`,
      replyTo: 'Las respuestas van a',
    },
  },
);
