import { defineTexts } from '../texts/texts.ts';

export const SINGLE_SIGN_ON = defineTexts(
  {
    title: 'Single sign-on',
    lead: 'Log in with your company’s provider.',
    goOn: 'Continue',
    failed: 'You are not logged in',
  },
  {
    'pt-BR': {
      title: 'Login único',
      lead: 'Você entra pelo provedor da sua empresa.',
      goOn: 'Continuar',
      failed: 'Você não entrou',
    },
    es: {
      title: 'Inicio de sesión único',
      lead: 'Entra por el proveedor de su empresa.',
      goOn: 'Continuar',
      failed: 'No ha entrado',
    },
  },
);

/** Why a log-in has failed, by the code of the API. */
export const REASONS = defineTexts(
  {
    NOT_AVAILABLE: 'Single sign-on is not available for this address. Log in with your password.',
    EXPIRED: 'This log-in has expired, or began in another tab or browser. Try again.',
    PROVIDER: 'The provider of your company did not log you in. Try again, or ask your administrator.',
    EMAIL_NOT_VERIFIED: 'The provider did not confirm your e-mail address. Ask your administrator.',
    DOMAIN_NOT_ALLOWED: 'Your company does not allow addresses of this domain.',
    NO_USER: 'You are not a user yet. Ask your administrator for an invitation.',
    INACTIVE: 'Your account is inactive. Ask your administrator.',
    LINKED_OTHERWISE: 'Your account belongs to another account at the provider. Ask your administrator.',
  },
  {
    'pt-BR': {
      NOT_AVAILABLE: 'O login único não está disponível para este endereço. Entre com a senha.',
      EXPIRED: 'Esta entrada expirou ou começou em outra aba ou navegador. Tente de novo.',
      PROVIDER: 'O provedor da sua empresa não confirmou a entrada. Tente de novo ou fale com o administrador.',
      EMAIL_NOT_VERIFIED: 'O provedor não confirmou o seu e-mail. Fale com o administrador.',
      DOMAIN_NOT_ALLOWED: 'A sua empresa não permite endereços deste domínio.',
      NO_USER: 'Você ainda não é usuário. Peça um convite ao administrador.',
      INACTIVE: 'O seu usuário está inativo. Fale com o administrador.',
      LINKED_OTHERWISE: 'O seu usuário pertence a outra conta no provedor. Fale com o administrador.',
    },
    es: {
      NOT_AVAILABLE: 'El inicio de sesión único no está disponible para esta dirección. Entre con la contraseña.',
      EXPIRED: 'Esta entrada caducó o comenzó en otra pestaña o navegador. Inténtelo de nuevo.',
      PROVIDER: 'El proveedor de su empresa no confirmó la entrada. Inténtelo de nuevo o consulte al administrador.',
      EMAIL_NOT_VERIFIED: 'El proveedor no confirmó su correo. Consulte al administrador.',
      DOMAIN_NOT_ALLOWED: 'Su empresa no permite direcciones de este dominio.',
      NO_USER: 'Aún no es usuario. Pida una invitación al administrador.',
      INACTIVE: 'Su usuario está inactivo. Consulte al administrador.',
      LINKED_OTHERWISE: 'Su usuario pertenece a otra cuenta del proveedor. Consulte al administrador.',
    },
  },
);
