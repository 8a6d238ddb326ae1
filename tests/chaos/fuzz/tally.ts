/** The counts and findings of a run. */
export type Tally = {
  requests: number
  /** Requests that passed the checks of key, window and subscription. */
  past: number
  /** Connections with a raw shape, and connections that were cut. */
  raw: number
  cut: number
  /** The count and the first seed of each kind of fault. */
  faults: Map<string, { times: number; seed: number }>
  fault(found: FoundFault): void
}

/** `seed`: the seed of the batch; a run with this seed starts with the batch. */
export type FoundFault = { kind: string; seed: number; sent: Buffer | string; detail: string }

const MAX_REPORTED = 3
const MAX_SENT = 2_000

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
      if (known.times > MAX_REPORTED) return
      const escaped = JSON.stringify(sent.toString('latin1'))
      tell(`${kind}, seed ${seed}: ${detail}\n  sent ${escaped.slice(0, MAX_SENT)}`)
    },
  }
}
