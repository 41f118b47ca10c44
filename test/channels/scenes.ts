/** The scene of each channel. A new channel needs its own file here and a line in this table. */
import { openMail } from './email.ts';
import { openGateway } from './partner-api.ts';
import { openProfessionalNetwork } from './professional-network.ts';
import type { Scenes } from './scene.ts';
import { openCloudApi } from './wap-auto-closer.ts';
import { openWebChat } from './web-v2.ts';

export const SCENES: Scenes = {
  WAP_AUTO_CLOSER: openCloudApi,
  WEB_V2: openWebChat,
  PARTNER_API: openGateway,
  PROFESSIONAL_NETWORK: openProfessionalNetwork,
  EMAIL: openMail,
};
