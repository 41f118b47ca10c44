import { defineTexts } from '../../../texts/texts.ts';

export const MAIL = defineTexts(
  { showWhole: 'Show full mail', whole: 'Full mail', to: 'To', cc: 'Cc', replyTo: 'Replies go to' },
  {
    'pt-BR': {
      showWhole: 'Mostrar o e-mail inteiro',
      whole: 'O e-mail inteiro',
      to: 'Para',
      cc: 'Cópia',
      replyTo: 'As respostas vão para',
    },
    es: {
      showWhole: 'Mostrar el correo entero',
      whole: 'El correo entero',
      to: 'Para',
      cc: 'Copia',
      replyTo: 'Las respuestas van a',
    },
  },
);
