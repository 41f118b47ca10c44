/** The texts of mails about changes of a second factor. */
import type { MailLanguage } from '../../platform/outside/mail-layout.ts';

export interface MailWords {
  subject: string;
  intro: string;
  button: string;
  lifetime: string;
  unexpected: string;
}

const FACTOR_RESET: Record<MailLanguage, MailWords> = {
  en: {
    subject: 'Two-factor log-in was turned off for your Parley account',
    intro:
      'An administrator of “{company}” has turned off two-factor log-in for your account. Until you set it up again, your password is enough to log in:',
    button: 'Set up two-factor log-in',
    lifetime: 'All your sessions have ended. You can find the setting in your profile.',
    unexpected: 'If you did not ask for this, set a new password and tell your administrator.',
  },
  'pt-BR': {
    subject: 'A verificação em duas etapas da sua conta no Parley foi desativada',
    intro:
      'Um administrador de “{company}” desativou a verificação em duas etapas da sua conta. Até você configurá-la de novo, basta a senha para entrar:',
    button: 'Configurar a verificação em duas etapas',
    lifetime: 'Todas as suas sessões terminaram. A configuração fica no seu perfil.',
    unexpected: 'Não foi você quem pediu? Defina uma nova senha e avise o seu administrador.',
  },
  es: {
    subject: 'Se desactivó la verificación en dos pasos de su cuenta de Parley',
    intro:
      'Un administrador de “{company}” ha desactivado la verificación en dos pasos de su cuenta. Hasta que la configure de nuevo, basta la contraseña para entrar:',
    button: 'Configurar la verificación en dos pasos',
    lifetime: 'Todas sus sesiones han terminado. La configuración está en su perfil.',
    unexpected: '¿No lo pidió usted? Establezca una contraseña nueva y avise a su administrador.',
  },
};

const FACTOR_ON: Record<MailLanguage, MailWords> = {
  en: {
    subject: 'Two-factor log-in was turned on for your Parley account',
    intro: 'From now on, you log in with your password and a code from your authenticator app:',
    button: 'Open my profile',
    lifetime: 'Keep your recovery codes in a safe place. Each one logs you in once if you lose your phone.',
    unexpected: 'If you did not do this, tell your administrator: someone else may be using your account.',
  },
  'pt-BR': {
    subject: 'A verificação em duas etapas da sua conta no Parley foi ativada',
    intro: 'A partir de agora, você entra com a senha e um código do seu app de autenticação:',
    button: 'Abrir meu perfil',
    lifetime:
      'Guarde os códigos de recuperação em um lugar seguro. Cada um permite entrar uma vez se você perder o celular.',
    unexpected: 'Não foi você? Avise o seu administrador: outra pessoa pode estar usando a sua conta.',
  },
  es: {
    subject: 'Se activó la verificación en dos pasos de su cuenta de Parley',
    intro: 'A partir de ahora, entra con la contraseña y un código de su aplicación de autenticación:',
    button: 'Abrir mi perfil',
    lifetime:
      'Guarde los códigos de recuperación en un lugar seguro. Cada uno permite entrar una vez si pierde el teléfono.',
    unexpected: '¿No fue usted? Avise a su administrador: otra persona puede estar usando su cuenta.',
  },
};

const FACTOR_OFF: Record<MailLanguage, MailWords> = {
  en: {
    subject: 'You turned off two-factor log-in for your Parley account',
    intro: 'From now on, your password is enough to log in. You can turn two-factor log-in on again in your profile:',
    button: 'Open my profile',
    lifetime: 'The recovery codes that you had no longer work.',
    unexpected: 'If you did not do this, set a new password and tell your administrator.',
  },
  'pt-BR': {
    subject: 'Você desativou a verificação em duas etapas da sua conta no Parley',
    intro: 'A partir de agora, basta a senha para entrar. Você pode ativar a verificação de novo no seu perfil:',
    button: 'Abrir meu perfil',
    lifetime: 'Os códigos de recuperação que você tinha não funcionam mais.',
    unexpected: 'Não foi você? Defina uma nova senha e avise o seu administrador.',
  },
  es: {
    subject: 'Desactivó la verificación en dos pasos de su cuenta de Parley',
    intro: 'A partir de ahora, basta la contraseña para entrar. Puede activar la verificación de nuevo en su perfil:',
    button: 'Abrir mi perfil',
    lifetime: 'Los códigos de recuperación que tenía ya no funcionan.',
    unexpected: '¿No fue usted? Establezca una contraseña nueva y avise a su administrador.',
  },
};

const PASSKEY_ADDED: Record<MailLanguage, MailWords> = {
  en: {
    subject: 'A passkey was added to your Parley account',
    intro:
      'You can now log in with this passkey and without your password. With your password, the log-in also asks for it:',
    button: 'Open my profile',
    lifetime: 'Register a second passkey or an authenticator app in case you lose the device.',
    unexpected:
      'If you did not do this, remove the passkey, set a new password and tell your administrator: someone else may be using your account.',
  },
  'pt-BR': {
    subject: 'Uma chave de acesso foi adicionada à sua conta no Parley',
    intro: 'Agora você pode entrar com esta chave de acesso, sem a senha. Com a senha, a entrada também a pede:',
    button: 'Abrir meu perfil',
    lifetime: 'Registre uma segunda chave ou um app de autenticação, para o caso de perder o aparelho.',
    unexpected:
      'Não foi você? Remova a chave, defina uma nova senha e avise o seu administrador: outra pessoa pode estar usando a sua conta.',
  },
  es: {
    subject: 'Se añadió una llave de acceso a su cuenta de Parley',
    intro:
      'Ahora puede entrar con esta llave de acceso, sin la contraseña. Con la contraseña, la entrada también la pide:',
    button: 'Abrir mi perfil',
    lifetime: 'Registre una segunda llave o una aplicación de autenticación, por si pierde el dispositivo.',
    unexpected:
      '¿No fue usted? Elimine la llave, establezca una contraseña nueva y avise a su administrador: otra persona puede estar usando su cuenta.',
  },
};

const PASSKEY_REMOVED: Record<MailLanguage, MailWords> = {
  en: {
    subject: 'A passkey was removed from your Parley account',
    intro: 'The passkey no longer logs you in. You can see the passkeys that you still have in your profile:',
    button: 'Open my profile',
    lifetime: 'The device may still offer the passkey. You can delete it there, too.',
    unexpected: 'If you did not do this, set a new password and tell your administrator.',
  },
  'pt-BR': {
    subject: 'Uma chave de acesso foi removida da sua conta no Parley',
    intro: 'Esta chave de acesso não permite mais entrar. As que você ainda tem estão no seu perfil:',
    button: 'Abrir meu perfil',
    lifetime: 'O aparelho pode continuar a oferecer a chave. Você pode apagá-la nele também.',
    unexpected: 'Não foi você? Defina uma nova senha e avise o seu administrador.',
  },
  es: {
    subject: 'Se eliminó una llave de acceso de su cuenta de Parley',
    intro: 'Esta llave de acceso ya no permite entrar. Las que aún tiene están en su perfil:',
    button: 'Abrir mi perfil',
    lifetime: 'El dispositivo puede seguir ofreciendo la llave. También puede borrarla allí.',
    unexpected: '¿No fue usted? Establezca una contraseña nueva y avise a su administrador.',
  },
};

/** By who has changed what: the user has changed it, or an administrator has reset it. */
export const FACTOR_MAILS = {
  ON: FACTOR_ON,
  OFF: FACTOR_OFF,
  RESET: FACTOR_RESET,
  PASSKEY_ADDED,
  PASSKEY_REMOVED,
};

export type FactorChange = keyof typeof FACTOR_MAILS;
