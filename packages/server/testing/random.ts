/**
 * Random numbers that are the same on every machine and in every run. A generator is seeded by its
 * purpose, so that any day of any vehicle can be made alone.
 */
export type Random = {
  /** A number in [0, 1). */
  next(): number
  between(low: number, high: number): number
  /** A whole number from `low` to `high`, both included. */
  whole(low: number, high: number): number
  pick<T>(items: readonly T[]): T
  /** True with this probability. */
  chance(probability: number): boolean
}

/** A mulberry32 generator. */
export function seeded(...seed: (string | number)[]): Random {
  let state = hash(seed.join('|'))
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    return mix(state)
  }
  const between = (low: number, high: number) => low + (high - low) * next()
  const whole = (low: number, high: number) => Math.floor(between(low, high + 1))
  return {
    next,
    between,
    whole,
    pick: (items) => items[whole(0, items.length - 1)]!,
    chance: (probability) => next() < probability,
  }
}

/** FNV-1a. */
export function hash(text: string): number {
  let value = 0x811c9dc5
  for (let i = 0; i < text.length; i++) {
    value = Math.imul(value ^ text.charCodeAt(i), 0x01000193)
  }
  return value | 0
}

/** A number in [0, 1) for this seed and index, whatever the order of calls. */
export function noise(seed: number, index: number): number {
  return mix((seed ^ Math.imul(index | 0, 0x9e3779b1) ^ Math.floor(index / 2 ** 32)) | 0)
}

/** Like `noise`, but from -1 to 1 and smooth: it changes direction every `period`. */
export function drift(seed: number, time: number, period: number): number {
  const at = time / period
  const cell = Math.floor(at)
  const part = at - cell
  const eased = part * part * (3 - 2 * part)
  return 2 * (noise(seed, cell) * (1 - eased) + noise(seed, cell + 1) * eased) - 1
}

function mix(state: number): number {
  let z = Math.imul(state ^ (state >>> 15), state | 1)
  z ^= z + Math.imul(z ^ (z >>> 7), z | 61)
  return ((z ^ (z >>> 14)) >>> 0) / 2 ** 32
}
