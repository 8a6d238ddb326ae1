import type { Finding } from '../part.ts'

/** A measurement; `at`: its time as a fraction of the whole, 0 to 1. */
export type Sample = { at: number; value: number }

/** The statistic for a span of time. */
export type Of = 'median' | 'p99' | 'least' | 'most'

/** The allowed rise of a measure from the second sixth of the time to the last: by a factor or by an amount. */
export type Flatness = {
  what: string
  unit: string
  of: Of
  factor: number
  amount: number
  samples: readonly Sample[]
}

/** Judges whether a measure is flat, without the first sixth, which is warm-up. */
export function judgeFlat({ what, unit, of, factor, amount, samples }: Flatness): Finding {
  const sixths = Array.from({ length: 6 }, (_, i) => {
    const values = samples.filter(({ at }) => at >= i / 6 && at < (i + 1) / 6)
    return figureOf(
      values.map(({ value }) => value),
      of,
    )
  })
  const [, second, , , , last] = sixths as [number, number, number, number, number, number]
  const most = Math.max(second * factor, second + amount)
  return {
    what: `${what}, ${of} of each sixth of the time`,
    bar: `the last at most ${factor} times the second, or ${amount} ${unit} above it`,
    measured: `${sixths.map((value) => format(value)).join(', ')} ${unit}`,
    // NaN without a sample, which meets no requirement.
    met: last <= most,
  }
}

function figureOf(values: number[], of: Of): number {
  const sorted = values.sort((a, b) => a - b)
  switch (of) {
    case 'median':
      return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
    case 'p99':
      return sorted[Math.floor(0.99 * sorted.length)] ?? Number.NaN
    case 'least':
      return sorted[0] ?? Number.NaN
    case 'most':
      return sorted.at(-1) ?? Number.NaN
  }
}

function format(value: number): string {
  return value < 10 ? value.toFixed(1) : Math.round(value).toString()
}
