/** What a connected app may do. */
import { defineTexts } from './texts.ts';

export const APP_ACCESS = defineTexts(
  { READ: 'Read only', WRITE: 'Read and change', SEND: 'Read, change and send' },
  {
    'pt-BR': { READ: 'Só ler', WRITE: 'Ler e mudar', SEND: 'Ler, mudar e enviar' },
    es: { READ: 'Solo leer', WRITE: 'Leer y cambiar', SEND: 'Leer, cambiar y enviar' },
  },
);
