import { defineTexts } from '../../texts/texts.ts';

export const SINGLE_SIGN_ON_LINK = defineTexts(
  {
    title: 'Single sign-on',
    isLinked: 'You can log in with your account at your company’s provider.',
    unlink: 'Unlink',
    passwordFirst: 'To unlink it, set a password first.',
    reallyUnlink: 'Yes, unlink',
    meaning:
      'Sessions that you opened with single sign-on end. Your next log-in with it links you again, if the e-mail address is the same.',
    isUnlinked: 'You are no longer linked with an account at the provider.',
  },
  {
    'pt-BR': {
      title: 'Login único',
      isLinked: 'Você pode entrar com a sua conta no provedor da empresa.',
      unlink: 'Desvincular',
      passwordFirst: 'Para desvinculá-la, defina primeiro uma senha.',
      reallyUnlink: 'Sim, desvincular',
      meaning:
        'As sessões abertas pelo login único terminam. A sua próxima entrada por ele vincula a conta de novo, se o e-mail for o mesmo.',
      isUnlinked: 'O seu vínculo com a conta no provedor foi removido.',
    },
    es: {
      title: 'Inicio de sesión único',
      isLinked: 'Puede entrar con su cuenta del proveedor de la empresa.',
      unlink: 'Desvincular',
      passwordFirst: 'Para desvincularla, defina primero una contraseña.',
      reallyUnlink: 'Sí, desvincular',
      meaning:
        'Las sesiones abiertas con inicio de sesión único terminan. Su próxima entrada con él vuelve a vincular la cuenta, si el correo es el mismo.',
      isUnlinked: 'Se quitó su vínculo con la cuenta del proveedor.',
    },
  },
);
