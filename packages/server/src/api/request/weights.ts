import type { AcceptItem } from './accept-items.ts'

/** The highest weight of each value, and the lowest weight above 0 of all items, which is at most 1. */
export type Weights = { get(value: string): number | undefined; readonly lowest: number }

export function highestWeights(items: readonly AcceptItem[]): Weights {
  const highest = new Map<string, number>()
  let lowest = 1
  for (const item of items) {
    const weight = weightIn(item)
    if (weight !== 0) lowest = Math.min(lowest, weight)
    const known = highest.get(item.value)
    if (known === undefined || weight > known) highest.set(item.value, weight)
  }
  return { get: (value) => highest.get(value), lowest }
}

const WEIGHT = /^q\s*=\s*"?(?=.)/

/** 1 without a weight, and 0 for a malformed one. */
function weightIn({ parameters }: AcceptItem): number {
  const weight = parameters.find((parameter) => WEIGHT.test(parameter))
  if (weight === undefined) return 1
  return Math.max(0, Math.min(1, Number.parseFloat(weight.replace(WEIGHT, '')) || 0))
}
