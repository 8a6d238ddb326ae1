import { Readable } from 'node:stream'
import {
  type PositionColumns,
  pickRows,
  timeIn,
} from '../../base/domain/position/position-columns.ts'
import { rangeAt } from '../../base/domain/time/ranges.ts'
import type { TimeRange } from '../../base/domain/time/time.ts'
import type { PublicAttributes } from '../../data/cache/fleet-cache.ts'
import type { DayContent } from '../../engine/journeys/days/coverage-sums.ts'
import type { CoverageDay } from '../../engine/journeys/days/read-coverage.ts'
import type { History } from '../../engine/store/position-store.ts'
import type { Api } from '../api.ts'
import type { Narrowing } from './narrowing.ts'
import { valuesOf } from './scoped-view.ts'
import { type ShownValues, shownColumns } from './shown-attributes.ts'

/*
 * The positions and the coverage of the intervals that a key sees, one interval after the other.
 */

/** No time is in it. */
const NEVER = { from: 1, to: 0 }

export function scopedPositions(
  { positions, views }: Pick<Api, 'positions' | 'views'>,
  narrowing: Narrowing,
  catalogue: () => Promise<PublicAttributes>,
): Api['positions'] {
  /** Null: a key sees the same attributes at all times. */
  async function valuesIn(organization: number, object: number): Promise<ShownValues | null> {
    if (narrowing.openAt === null || !narrowing.showsObject(object)) return null
    const entries = await catalogue()
    return views.view(organization, (view) => valuesOf(view, narrowing, { entries })!(object))
  }

  return {
    async history(organization, object, range, limit, wanted) {
      const open = (part: TimeRange, rows: number | null) =>
        positions.history(organization, object, part, rows, wanted)
      const parts = narrowing.visibleParts(object, range)
      if (parts.length <= 1 && narrowing.openAt === null) return open(parts[0] ?? NEVER, limit)
      const { next, blocks } = await (limit === null
        ? wholeOf(parts, open)
        : pageOf(parts, limit, open))
      const shown = await valuesIn(organization, object)
      return { next, blocks: marked(blocks, parts, shown) }
    },
    async count(organization, object, range, atMost, wanted) {
      const parts = narrowing.visibleParts(object, range)
      let count = 0
      for (const part of parts.length === 0 ? [NEVER] : parts) {
        count += await positions.count(organization, object, part, atMost - count, wanted)
        if (count >= atMost) break
      }
      return count
    },
  }
}

type Open = (part: TimeRange, rows: number | null) => Promise<History>

function wholeOf(parts: readonly TimeRange[], open: Open): History {
  async function* blocks() {
    for (const part of parts) yield* (await open(part, null)).blocks
  }
  return { next: null, blocks: blocks() }
}

/** A page of some parts. It is read before it is returned. */
async function pageOf(parts: readonly TimeRange[], limit: number, open: Open): Promise<History> {
  const page: PositionColumns[] = []
  let room = limit
  let last: number | null = null
  for (const part of parts) {
    // Without room, a row shows that there is another page.
    const { next, blocks } = await open(part, Math.max(room, 1))
    for await (const columns of blocks) {
      if (columns.rows === 0) continue
      if (room === 0) return { next: last, blocks: Readable.from(page) }
      // A block holds until the next one is asked for.
      page.push(copyOf(columns))
      last = timeIn(columns, columns.rows - 1)
      room -= columns.rows
    }
    if (next !== null) return { next, blocks: Readable.from(page) }
  }
  return { next: null, blocks: Readable.from(page) }
}

function copyOf(columns: PositionColumns): PositionColumns {
  return pickRows(columns, [...new Array(columns.rows).keys()])
}

/** Marks blocks of another part than the previous block, and hides the values that the key does not see. */
async function* marked(
  blocks: AsyncIterable<PositionColumns>,
  parts: readonly TimeRange[],
  shown: ShownValues | null,
): AsyncGenerator<PositionColumns> {
  let last: TimeRange | undefined
  for await (const block of blocks) {
    if (block.rows === 0) continue
    const part = rangeAt(parts, timeIn(block, 0))
    const columns = shown === null ? block : shownColumns(block, shown)
    yield last !== undefined && part !== last ? { ...columns, beginsInterval: true } : columns
    last = part
  }
}

/** The figures of a day of which a key sees two parts. */
export function joinedDay(before: CoverageDay | undefined, next: CoverageDay): CoverageDay {
  if (before === undefined) return next
  const [a, b] = [before.content, next.content]
  return {
    ...next,
    content: a && b ? joinedContent(a, b) : (a ?? b),
    changedAt: Math.max(before.changedAt ?? 0, next.changedAt ?? 0),
    rejected: null,
  }
}

function joinedContent(a: DayContent, b: DayContent): DayContent {
  return {
    positions: a.positions + b.positions,
    first: a.first,
    last: b.last,
    longestGap: Math.max(a.longestGap, b.longestGap),
    late: a.late + b.late,
    worstLateness: Math.max(a.worstLateness, b.worstLateness),
    stored: Math.max(a.stored, b.stored),
    digest: sumOfDigests(a.digest, b.digest),
    countersDigest: sumOfDigests(a.countersDigest, b.countersDigest),
  }
}

function sumOfDigests(a: string, b: string): string {
  const sum = BigInt.asUintN(256, BigInt(`0x${a}`) + BigInt(`0x${b}`))
  return sum.toString(16).padStart(64, '0')
}
