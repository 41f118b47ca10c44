import { defineTexts } from '../../texts/texts.ts';

export const UPLOADS = defineTexts(
  {
    files: 'Files',
    uploading: 'Uploading…',
    stopped: 'The upload was interrupted when you left the page. Add the file again.',
    attach: 'Add files',
  },
  {
    'pt-BR': {
      files: 'Arquivos',
      uploading: 'Enviando o arquivo…',
      stopped: 'A página foi fechada durante o envio. Adicione o arquivo de novo.',
      attach: 'Adicionar arquivos',
    },
    es: {
      files: 'Archivos',
      uploading: 'Subiendo…',
      stopped: 'La página se cerró durante la subida. Añada el archivo de nuevo.',
      attach: 'Añadir archivos',
    },
  },
);
