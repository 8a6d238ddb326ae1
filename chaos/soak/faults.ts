/** Answers that were not as they have to be: how many, and some of them. */
export type Faults = {
  asked: number
  wrong: number
  told: string[]
}

const TOLD = 3

export function noFaults(): Faults {
  return { asked: 0, wrong: 0, told: [] }
}

export function count(faults: Faults, what: string, fault: string | undefined): void {
  faults.asked += 1
  if (fault === undefined) return
  faults.wrong += 1
  if (faults.told.length < TOLD) faults.told.push(`${what}: ${fault}`)
}
