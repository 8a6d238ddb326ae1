import type { WayOut } from '../api/types.ts'
import { t } from '../language/text.ts'
import { hostOf } from '../webhooks/webhook-texts.ts'

type Kind = WayOut['kind']

/** The ways in which data leave an organization. */
export const KIND_NAMES: Record<Kind, string> = {
  link: t('Link'),
  key: t('API key'),
  webhook: t('Webhook'),
  person: t('Person'),
  token: t('Program token'),
}

/** The act that ends each. */
export const ENDING_NAMES: Record<Kind, string> = {
  link: t('Revoke link'),
  key: t('Revoke key'),
  webhook: t('Turn off webhook'),
  person: t('End access'),
  token: t('Revoke token'),
}

/** The name of a way, without the secrets that a URL may hold. */
export function nameOf({ kind, name }: WayOut): string {
  return kind === 'webhook' ? hostOf(name) : name
}
