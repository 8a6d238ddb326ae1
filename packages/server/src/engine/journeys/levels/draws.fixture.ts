/** Random draws of a seed, the same on every machine (mulberry32, by T. Ettinger, in the public domain). */
export type Draws = {
  between(low: number, high: number): number
  happens(chance: number): boolean
  /** A draw of the standard normal distribution (Box and Muller, 1958). */
  normal(): number
}

export function drawsOf(seed: number): Draws {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    between: (low, high) => low + (high - low) * next(),
    happens: (chance) => next() < chance,
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
  }
}
