import { defineTexts } from '../../../texts/texts.ts';

export const MAIL = defineTexts(
  { showWhole: 'Show the whole mail', whole: 'The whole mail', to: 'To', cc: 'Copy' },
  {
    'pt-BR': { showWhole: 'Mostrar o e-mail inteiro', whole: 'O e-mail inteiro', to: 'Para', cc: 'Cópia' },
    es: { showWhole: 'Mostrar el correo entero', whole: 'El correo entero', to: 'Para', cc: 'Copia' },
  },
);
