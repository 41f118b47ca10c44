import { defineTexts } from '../../texts/texts.ts';

export const UPLOADS = defineTexts(
  {
    files: 'Files',
    uploading: 'Uploading…',
    stopped: 'The upload was interrupted when you left the page. Add the file again.',
    attach: 'Add files',
    tryAgain: (name: string) => `Try again: ${name}`,
    tooLarge: (name: string, limit: string) => `“${name}” is larger than the limit of ${limit}.`,
    wrongFormat: (name: string, formats: string) => `“${name}” has none of the accepted formats: ${formats}.`,
    damaged: (name: string, format: string) => `“${name}” is damaged, or is not a ${format} file.`,
    isEmpty: (name: string) => `“${name}” is empty.`,
  },
  {
    'pt-BR': {
      files: 'Arquivos',
      uploading: 'Enviando o arquivo…',
      stopped: 'A página foi fechada durante o envio. Adicione o arquivo de novo.',
      attach: 'Adicionar arquivos',
      tryAgain: (name) => `Tentar de novo: ${name}`,
      tooLarge: (name, limit) => `“${name}” passa do limite de ${limit}.`,
      wrongFormat: (name, formats) => `“${name}” não tem nenhum dos formatos aceitos: ${formats}.`,
      damaged: (name, format) => `“${name}” está danificado ou não é um arquivo ${format}.`,
      isEmpty: (name) => `“${name}” está vazio.`,
    },
    es: {
      files: 'Archivos',
      uploading: 'Subiendo…',
      stopped: 'La página se cerró durante la subida. Añada el archivo de nuevo.',
      attach: 'Añadir archivos',
      tryAgain: (name) => `Intentar de nuevo: ${name}`,
      tooLarge: (name, limit) => `«${name}» supera el límite de ${limit}.`,
      wrongFormat: (name, formats) => `«${name}» no tiene ninguno de los formatos aceptados: ${formats}.`,
      damaged: (name, format) => `«${name}» está dañado o no es un archivo ${format}.`,
      isEmpty: (name) => `«${name}» está vacío.`,
    },
  },
);
