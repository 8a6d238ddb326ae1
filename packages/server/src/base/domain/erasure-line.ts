import { isDeviceName } from './position/attribute.ts'
import { parseInstant } from './time/time.ts'

/**
 * A deleted range of positions, or of the values of an attribute, in a file of its own, which has no coordinates and no
 * values. Times in milliseconds since the epoch.
 */
export type ErasureLine = {
  /** The deployment, by `deploymentName`: ids are those of one deployment. */
  deployment: string
  organization: number
  object: number
  /** When the object was made: another one may have its id after a restore. */
  createdAt: number
  /** The name that devices use. Null: the positions. */
  attribute: string | null
  from: number
  to: number
  erasedAt: number
}

const iso = (time: number) => new Date(time).toISOString()

export function writeErasureLine(line: ErasureLine): string {
  const { createdAt, attribute, from, to, erasedAt, ...whose } = line
  const times = { from: iso(from), to: iso(to), erased_at: iso(erasedAt) }
  const what = attribute === null ? times : { attribute, ...times }
  return `${JSON.stringify({ ...whose, created_at: iso(createdAt), ...what })}\n`
}

/** Null: the line cannot be read, such as one that was cut off. */
export function readErasureLine(line: string): ErasureLine | null {
  try {
    const { attribute = null, from, to, created_at, erased_at, ...whose } = JSON.parse(line)
    const { deployment, organization, object } = whose
    const times = [created_at, from, to, erased_at].map((each) => parseInstant(String(each)))
    const isWhole = [organization, object].every(Number.isSafeInteger)
    const isNamed = attribute === null || (typeof attribute === 'string' && isDeviceName(attribute))
    if (typeof deployment !== 'string' || !isWhole || !isNamed || times.includes(undefined))
      return null
    const [createdAt, first, last, erasedAt] = times.map((time) => Math.floor(time!))
    const owner = { deployment, organization, object, createdAt: createdAt!, attribute }
    return { ...owner, from: first!, to: last!, erasedAt: erasedAt! }
  } catch {
    return null
  }
}

/** A name that no other deleted range has. */
export function erasureName(line: Omit<ErasureLine, 'erasedAt'>): string {
  const { deployment, organization, object, createdAt, from, to, attribute } = line
  return [deployment, organization, object, createdAt, from, to, attribute ?? ''].join(' ')
}
