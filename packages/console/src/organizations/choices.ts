import type { Organization } from '../api/types.ts'
import { t } from '../language/text.ts'
import { optionsOf } from '../ui/form/Field.tsx'

export const DISTANCE_UNITS = optionsOf<Organization['distance_unit']>({
  km: t('Kilometers'),
  mi: t('Miles'),
})

export const SUBSCRIPTIONS = optionsOf<Organization['subscription']>({
  active: t('Active'),
  inactive: t('Inactive'),
  suspended: t('Suspended'),
})

export const LANGUAGES = optionsOf<Organization['language']>({
  en: t('English'),
  ar: 'العربية (Arabic)',
  de: t('Deutsch (German)'),
  es: t('Español (Spanish)'),
  fr: t('Français (French)'),
  pt: t('Português (Portuguese)'),
  ru: 'Русский (Russian)',
  tr: t('Türkçe (Turkish)'),
})
