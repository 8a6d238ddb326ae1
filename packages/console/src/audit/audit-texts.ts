import { t } from '../language/text.ts'

/** `daily_quota` is `daily quota`. */
export function plain(name: string): string {
  return name.replaceAll('_', ' ').replaceAll('.', ' · ')
}

/** The name of who did something, and how to find them: the address of a person, the id of a token. */
export function actorInWords(actor: string): { name: string; detail: string } {
  const [, person, address] = /^person \d+ (.*) <(.*)>$/s.exec(actor) ?? []
  if (person !== undefined) return { name: person, detail: address! }
  const [, id, token] = /^token (\d+) (.*)$/s.exec(actor) ?? []
  if (token !== undefined) return { name: token, detail: t('token {{id}}', { id: id ?? '' }) }
  return { name: actor, detail: '' }
}

/** Most values are settings. A value longer than a line is shown by its size. */
export function valueInWords(value: unknown): string {
  if (value === null || value === undefined) return t('none')
  if (typeof value === 'boolean') return value ? t('yes') : t('no')
  if (Array.isArray(value))
    return value.length > 3
      ? t('{{count, number}} entries', { count: value.length })
      : JSON.stringify(value)
  if (typeof value === 'object') return JSON.stringify(value)
  return String(value)
}

/** Whether a value is an instant, and is to be shown in the viewer's zone. */
export function isInstant(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)
}

export type Change = { name: string; from: unknown; to: unknown; only: boolean }

/** `only` is set if the entry has the new value but not the old one. */
export function changesOf(changes: Record<string, unknown> | null): Change[] {
  return Object.entries(changes ?? {}).map(([name, value]) => {
    if (typeof value === 'object' && value !== null && ('from' in value || 'to' in value)) {
      const { from, to } = value as { from?: unknown; to?: unknown }
      return { name, from, to, only: !('from' in value) }
    }
    return { name, from: undefined, to: value, only: true }
  })
}
