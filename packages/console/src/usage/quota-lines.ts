import type { Quota } from '../api/types.ts'

export type Charged = Quota['items'][number]

/** A line of today's quota: the objects that are charged alike. */
export type QuotaLine = { used: number; remaining: number | null; objects: Charged[] }

/**
 * One line for all objects without quota left, and one for all that were read equally often. The most
 * charged come first.
 */
export function quotaLines(items: Charged[]): QuotaLine[] {
  const lines = new Map<number | 'none left', QuotaLine>()
  for (const each of items) {
    const { used, remaining } = each
    const key = remaining === 0 ? 'none left' : used
    const line = lines.get(key)
    if (line === undefined) lines.set(key, { used, remaining, objects: [each] })
    else line.objects.push(each)
  }
  return [...lines.values()].sort((one, other) => other.used - one.used)
}
