import { defineTexts } from '../../texts/texts.ts';

export const UPLOADS = defineTexts(
  { files: 'Files', uploading: 'Uploading…', attach: 'Add files' },
  {
    'pt-BR': { files: 'Arquivos', uploading: 'Enviando o arquivo…', attach: 'Adicionar arquivos' },
    es: { files: 'Archivos', uploading: 'Subiendo…', attach: 'Añadir archivos' },
  },
);
