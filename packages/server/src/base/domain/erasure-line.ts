import { parseInstant } from './time/time.ts'

/** A deleted range of positions in a file of its own, which has no coordinates. Times in milliseconds since the epoch. */
export type ErasureLine = {
  /** The deployment, by `deploymentName`: ids are those of one deployment. */
  deployment: string
  organization: number
  object: number
  /** When the object was made: another one may have its id after a restore. */
  createdAt: number
  from: number
  to: number
  erasedAt: number
}

const iso = (time: number) => new Date(time).toISOString()

export function writeErasureLine(line: ErasureLine): string {
  const { createdAt, from, to, erasedAt, ...whose } = line
  const times = { from: iso(from), to: iso(to), erased_at: iso(erasedAt) }
  return `${JSON.stringify({ ...whose, created_at: iso(createdAt), ...times })}\n`
}

/** Null: the line cannot be read, such as one that was cut off. */
export function readErasureLine(line: string): ErasureLine | null {
  try {
    const { deployment, organization, object, created_at, from, to, erased_at } = JSON.parse(line)
    const times = [created_at, from, to, erased_at].map((each) => parseInstant(String(each)))
    const isWhole = [organization, object].every(Number.isSafeInteger)
    if (typeof deployment !== 'string' || !isWhole || times.includes(undefined)) return null
    const [createdAt, first, last, erasedAt] = times.map((time) => Math.floor(time!))
    const whose = { deployment, organization, object, createdAt: createdAt! }
    return { ...whose, from: first!, to: last!, erasedAt: erasedAt! }
  } catch {
    return null
  }
}

/** A name that no other deleted range has. */
export function erasureName(line: Omit<ErasureLine, 'erasedAt'>): string {
  const { deployment, organization, object, createdAt, from, to } = line
  return [deployment, organization, object, createdAt, from, to].join(' ')
}
