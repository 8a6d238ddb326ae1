import { parseInstant } from './time/time.ts'

/** A deleted range of positions in a file of its own, which has no coordinates. Times in milliseconds since the epoch. */
export type ErasureLine = {
  /** The deployment, by `deploymentName`: ids are those of one deployment. */
  deployment: string
  organization: number
  object: number
  from: number
  to: number
  erasedAt: number
}

const iso = (time: number) => new Date(time).toISOString()

export function writeErasureLine({ from, to, erasedAt, ...whose }: ErasureLine): string {
  return `${JSON.stringify({ ...whose, from: iso(from), to: iso(to), erased_at: iso(erasedAt) })}\n`
}

/** Null: the line cannot be read, such as one that was cut off. */
export function readErasureLine(line: string): ErasureLine | null {
  try {
    const { deployment, organization, object, from, to, erased_at } = JSON.parse(line)
    const times = [from, to, erased_at].map((each) => parseInstant(String(each)))
    const isWhole = [organization, object].every(Number.isSafeInteger)
    if (typeof deployment !== 'string' || !isWhole || times.includes(undefined)) return null
    const [first, last, erasedAt] = times.map((time) => Math.floor(time!))
    return { deployment, organization, object, from: first!, to: last!, erasedAt: erasedAt! }
  } catch {
    return null
  }
}

/** A name that no other deleted range has. */
export function erasureName({
  organization,
  object,
  from,
  to,
}: Omit<ErasureLine, 'deployment' | 'erasedAt'>): string {
  return [organization, object, from, to].join(' ')
}
