import type { ChangeEntries } from '../store/change-entries.ts'
import type { PositionName } from '../store/change-log.ts'
import type { ShownPosition } from '../store/store.ts'

/** The rows that are kept of an organization: some 50 KB. At 20 packets a second, those of ten seconds. */
const MAX_ROWS = 200

type KeptRow = { seq: number; record: Uint8Array | null }

/**
 * The positions that an organization has just stored, as answers show them, so that pages of streams do not look them up.
 * The log names each change of a position, so a row is current up to the next change that names it or shifts its object.
 */
export class KeptRows {
  /** By object and time. The objects that were written last are at the end. */
  private readonly rows = new Map<number, Map<number, KeptRow>>()
  private size = 0

  /** Keeps what change number `seq` has stored. It was not followed yet. */
  put(seq: number, positions: readonly ShownPosition[]): void {
    if (positions.length > MAX_ROWS) return
    for (const { object, time, record } of positions) {
      const own = this.rows.get(object) ?? new Map<number, KeptRow>()
      this.rows.delete(object)
      this.rows.set(object, own)
      if (!own.has(time)) this.size += 1
      // A copy, because the buffer of a row may be a part of a much longer one.
      own.set(time, { seq, record: record && new Uint8Array(record) })
    }
    for (const object of this.rows.keys()) {
      if (this.size <= MAX_ROWS) break
      this.drop(object, () => true)
    }
  }

  /** Forgets what a change of the log has replaced. */
  follow(seq: number, { items, objects }: Pick<ChangeEntries, 'items' | 'objects'>): void {
    if (this.size === 0) return
    const isReplaced = (row: KeptRow | undefined) => row !== undefined && row.seq < seq
    for (const { topic, id } of items) if (topic === 'objects') this.drop(id, isReplaced)
    for (const { object, positions, shifts } of objects) {
      // A shift concerns also what was stored with it.
      if (shifts.length > 0) this.drop(object, (row) => row.seq <= seq)
      const own = this.rows.get(object)
      for (const { time } of own === undefined ? [] : positions) {
        if (isReplaced(own!.get(time))) this.forget(object, own!, time)
      }
    }
  }

  /**
   * The record of a position as of the change up to which the log was followed; null if it is not shown. Undefined: it is
   * not kept.
   */
  at({ object, time }: PositionName, asOf: number): Uint8Array | null | undefined {
    const row = this.rows.get(object)?.get(time)
    return row === undefined || row.seq > asOf ? undefined : row.record
  }

  clear(): void {
    this.rows.clear()
    this.size = 0
  }

  private drop(object: number, isOver: (row: KeptRow) => boolean): void {
    const own = this.rows.get(object)
    for (const [time, row] of own ?? []) if (isOver(row)) this.forget(object, own!, time)
  }

  private forget(object: number, own: Map<number, KeptRow>, time: number): void {
    own.delete(time)
    this.size -= 1
    if (own.size === 0) this.rows.delete(object)
  }
}
