import type { Organization } from '../api/types.ts'

export const DISTANCE_UNITS: [Organization['distance_unit'], string][] = [
  ['km', 'Kilometres'],
  ['mi', 'Miles'],
]

export const SUBSCRIPTIONS: [Organization['subscription'], string][] = [
  ['active', 'Active'],
  ['inactive', 'Inactive'],
  ['suspended', 'Suspended'],
]

export const LANGUAGES: [Organization['language'], string][] = [
  ['en', 'English'],
  ['ar', 'العربية (Arabic)'],
  ['de', 'Deutsch (German)'],
  ['es', 'Español (Spanish)'],
  ['fr', 'Français (French)'],
  ['pt', 'Português (Portuguese)'],
  ['ru', 'Русский (Russian)'],
  ['tr', 'Türkçe (Turkish)'],
]
