import type { Organization } from '../api/types.ts'
import { optionsOf } from '../ui/form/Field.tsx'

export const DISTANCE_UNITS = optionsOf<Organization['distance_unit']>({
  km: 'Kilometres',
  mi: 'Miles',
})

export const SUBSCRIPTIONS = optionsOf<Organization['subscription']>({
  active: 'Active',
  inactive: 'Inactive',
  suspended: 'Suspended',
})

export const LANGUAGES = optionsOf<Organization['language']>({
  en: 'English',
  ar: 'العربية (Arabic)',
  de: 'Deutsch (German)',
  es: 'Español (Spanish)',
  fr: 'Français (French)',
  pt: 'Português (Portuguese)',
  ru: 'Русский (Russian)',
  tr: 'Türkçe (Turkish)',
})
