import { defineTexts } from '../../../../texts/texts.ts';

export const LOOK_UPS = defineTexts(
  {
    again: 'Look up again',
    nothing: 'Nothing found',
    cut: 'The result was too long: the rest is not shown',
    missing: (fields: string) => `The contact has no value for: ${fields}`,
    failed: (reason: string) => `The look-up failed: ${reason}`,
  },
  {
    'pt-BR': {
      again: 'Consultar de novo',
      nothing: 'Nada encontrado',
      cut: 'O resultado era longo demais: o resto não é mostrado',
      missing: (fields: string) => `O contato não tem valor em: ${fields}`,
      failed: (reason: string) => `A consulta falhou: ${reason}`,
    },
    es: {
      again: 'Consultar de nuevo',
      nothing: 'No se encontró nada',
      cut: 'El resultado era demasiado largo: el resto no se muestra',
      missing: (fields: string) => `El contacto no tiene valor en: ${fields}`,
      failed: (reason: string) => `La consulta falló: ${reason}`,
    },
  },
);
