/** The number of wrong answers, and some examples. */
export type Faults = {
  asked: number
  wrong: number
  examples: string[]
}

const MAX_REPORTED = 3

export function noFaults(): Faults {
  return { asked: 0, wrong: 0, examples: [] }
}

export function count(faults: Faults, what: string, fault: string | undefined): void {
  faults.asked += 1
  if (fault === undefined) return
  faults.wrong += 1
  if (faults.examples.length < MAX_REPORTED) faults.examples.push(`${what}: ${fault}`)
}
