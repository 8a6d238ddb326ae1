import type { QuotaCount } from '../../domain/quota-count.ts'
import type { QuotaCounts } from '../quota-counts.ts'
import type { Tell } from './tell.ts'

const WRITE_EVERY_MS = 1_000
/** How long a shutdown waits for a copy that does not answer. */
const END_PATIENCE_MS = 2_000

/** Counts on their way to the lasting copy of the quota counters. */
export type CountsBehind = {
  /** Notes counts. They are written within a second. */
  note(organization: number, day: number, objects: readonly number[], counts: number[]): void
  /** Counts that may not have been written yet. */
  unwritten(organization: number, day: number): QuotaCount[]
  /** Writes the noted counts now. */
  hurry(): void
  /** Resolves when all counts are written, or after 2 s. */
  close(): Promise<void>
}

/** `tell` gets a line when counts cannot be written, and another when they can again. */
export function countsBehind(counts: QuotaCounts, tell: Tell): CountsBehind {
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
      if (isFailing) tell('The quota’s counts are written again.', 'info')
      isFailing = false
    } catch (error) {
      if (!isFailing)
        tell(`The quota’s counts cannot be written: ${(error as Error).message}`, 'error')
      isFailing = true
      // Counts noted since are newer, so they win.
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
      // The write under way may have begun before the last counts were noted, so write once more.
      const written = hurry().then(hurry)
      await Promise.race([written, late(END_PATIENCE_MS)])
    },
  }
}

function late(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}
