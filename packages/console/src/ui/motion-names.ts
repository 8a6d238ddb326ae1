import { t } from '../language/text.ts'
/** The names of motions. */
export const MOTION_NAMES = {
  moving: t('Moving'),
  idle: t('Idle'),
  stopped: t('Stopped'),
  no_signal: t('No signal'),
  unknown: t('Unknown'),
} as const
