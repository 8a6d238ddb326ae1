import type { AttributeSummary, Day } from '@fleetgate/client'

/** The parts of the attributes of days that add up. */
const ADDED = ['gain', 'used', 'filled', 'drained'] as const

/** An attribute over some days: the sums of what adds up, and the range of a number. */
type AttributeSums = Partial<Record<(typeof ADDED)[number] | 'min' | 'max', number>>

export type SumsByName = Map<string, AttributeSums>

/** Adds the attributes of a day. Texts and switches have no sums. */
export function addAttributes(sums: SumsByName, { attributes = {} }: Day): void {
  for (const [name, summary] of Object.entries(attributes)) {
    const { min, max, ...parts } = summary as AttributeSummary & AttributeSums
    if (min === undefined || max === undefined) continue
    const sum = sums.get(name) ?? {}
    sums.set(name, sum)
    for (const part of ADDED) {
      const value = parts[part]
      if (value !== undefined) sum[part] = (sum[part] ?? 0) + value
    }
    sum.min = Math.min(sum.min ?? min, min)
    sum.max = Math.max(sum.max ?? max, max)
  }
}

/** The most decimals that an attribute has. */
const DECIMALS = 6

/** The part of a row with attributes. Empty without any. */
export function attributesPart(sums: SumsByName): { attributes?: Record<string, AttributeSums> } {
  if (sums.size === 0) return {}
  const shown = Array.from(sums, ([name, sum]) => {
    const parts = Object.entries(sum).map(([part, value]) => [part, withoutNoise(value)])
    return [name, Object.fromEntries(parts)]
  })
  return { attributes: Object.fromEntries(shown) }
}

/** A sum of decimals has them, and no noise of floating point. */
function withoutNoise(value: number): number {
  return Number(value.toFixed(DECIMALS))
}
