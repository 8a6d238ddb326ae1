import type { QuotaCount } from '../../domain/quota-count.ts'
import type { QuotaCounts } from '../quota-counts.ts'

const WRITE_EVERY_MS = 1_000
/** How long an end waits for a copy that does not answer. */
const END_PATIENCE_MS = 2_000

/** Counts on their way to the copy that outlasts the shared ones. */
export type CountsBehind = {
  /** Every second at the latest they are written. */
  note(organization: number, day: number, objects: readonly number[], counts: number[]): void
  /** What is not known to be written yet. */
  unwritten(organization: number, day: number): QuotaCount[]
  /** Writes what there is now. */
  hurry(): void
  /** Resolves when all is written, or when it has taken too long. */
  close(): Promise<void>
}

/** `tell` hears why they cannot be written, and that they can be again. */
export function countsBehind(counts: QuotaCounts, tell: (line: string) => void): CountsBehind {
  let waiting = new Map<string, QuotaCount>()
  let underWay = new Map<string, QuotaCount>()
  let writing: Promise<void> | undefined
  let isFailing = false

  async function write(): Promise<void> {
    if (waiting.size === 0) return
    underWay = waiting
    waiting = new Map()
    try {
      await counts.write([...underWay.values()])
      if (isFailing) tell('The quota’s counts are written again.')
      isFailing = false
    } catch (error) {
      if (!isFailing) tell(`The quota’s counts cannot be written: ${(error as Error).message}`)
      isFailing = true
      // What was counted since is newer.
      waiting = new Map([...underWay, ...waiting])
    }
    underWay = new Map()
  }

  function hurry(): Promise<void> {
    writing ??= write().finally(() => {
      writing = undefined
    })
    return writing
  }

  const timer = setInterval(hurry, WRITE_EVERY_MS).unref()

  return {
    note(organization, day, objects, noted) {
      for (const [i, object] of objects.entries()) {
        const name = `${organization} ${day} ${object}`
        waiting.set(name, { organization, day, object, count: noted[i]! })
      }
    },
    unwritten(organization, day) {
      const all = [...underWay.values(), ...waiting.values()]
      return all.filter((each) => each.organization === organization && each.day === day)
    },
    hurry,
    async close() {
      clearInterval(timer)
      // The one that is under way may have begun before the last counts came.
      const written = hurry().then(hurry)
      await Promise.race([written, late(END_PATIENCE_MS)])
    },
  }
}

function late(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}
