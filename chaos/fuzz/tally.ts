/** What a run has counted, and what it has found wrong. */
export type Tally = {
  requests: number
  /** Of those, what was past key, window and subscription. */
  past: number
  /** Connections with a raw shape, and those that were cut. */
  raw: number
  cut: number
  /** By kind: how often, and the first of them. */
  faults: Map<string, { times: number; seed: number }>
  fault(found: FoundFault): void
}

/** `seed`: of the batch, which begins a run that is started with it. */
export type FoundFault = { kind: string; seed: number; sent: Buffer | string; detail: string }

const MOST_TOLD = 3
const MOST_SENT = 2_000

export function openTally(tell: (text: string) => void): Tally {
  const faults: Tally['faults'] = new Map()
  return {
    requests: 0,
    past: 0,
    raw: 0,
    cut: 0,
    faults,
    fault({ kind, seed, sent, detail }) {
      const known = faults.get(kind) ?? { times: 0, seed }
      known.times++
      faults.set(kind, known)
      if (known.times > MOST_TOLD) return
      const escaped = JSON.stringify(sent.toString('latin1'))
      tell(`${kind}, seed ${seed}: ${detail}\n  sent ${escaped.slice(0, MOST_SENT)}`)
    },
  }
}
