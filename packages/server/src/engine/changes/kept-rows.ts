import type { ChangeEntries } from '../store/change-entries.ts'
import type { PositionName } from '../store/change-log.ts'
import type { ShownPosition } from '../store/store.ts'

/** The memory for the rows of an organization: enough for ten seconds of 20 packets a second. */
const MAX_BYTES = 60_000
/** The memory of a row besides its record. */
const ROW_BYTES = 150
/** The log does not name what a retention deletes, but rows are deleted much later than this. */
const KEPT_MS = 60_000

type KeptRow = { seq: number; record: Uint8Array | null; at: number }
type RowsOfObject = Map<number, KeptRow>

/**
 * The positions that an organization has just stored, as answers show them, so that pages of streams do not look them up.
 * The log names each change of a position, so a row is current up to the next change that names it or shifts its object.
 */
export class KeptRows {
  /** By object and time. The objects that were written last are at the end. */
  private readonly rows = new Map<number, RowsOfObject>()
  private bytes = 0
  private readonly now: () => number

  /** `now`: milliseconds that only grow. */
  constructor(now = () => performance.now()) {
    this.now = now
  }

  /** Keeps what change number `seq` has stored. It was not followed yet. */
  put(seq: number, positions: readonly ShownPosition[]): void {
    const at = this.now()
    for (const { object, time, record } of positions) {
      const own: RowsOfObject = this.rows.get(object) ?? new Map()
      this.forget(object, own, time)
      // A copy, because the buffer of a row may be a part of a much longer one.
      const row = { seq, record: record && new Uint8Array(record), at }
      own.set(time, row)
      this.bytes += bytesOf(row)
      this.rows.delete(object)
      this.rows.set(object, own)
    }
    this.makeRoom()
  }

  /** Forgets what a change of the log has replaced. */
  follow(seq: number, { items, objects, retainedBefore }: ChangeEntries): void {
    if (this.rows.size === 0) return
    // A shorter retention may have deleted some of them, which the log does not name.
    if (retainedBefore !== undefined) this.clear()
    const isReplaced = (row: KeptRow | undefined) => row !== undefined && row.seq < seq
    for (const { topic, id } of items) if (topic === 'objects') this.drop(id, isReplaced)
    for (const { object, positions, shifts } of objects) {
      // A shift also applies to what was stored with it.
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
    return row === undefined || row.seq > asOf || this.isOver(row) ? undefined : row.record
  }

  clear(): void {
    this.rows.clear()
    this.bytes = 0
  }

  private isOver({ at }: KeptRow): boolean {
    return at < this.now() - KEPT_MS
  }

  /** Forgets the oldest rows of those objects that were written least recently. */
  private makeRoom(): void {
    for (const [object, own] of this.rows) {
      for (const [time, row] of own) {
        if (this.bytes <= MAX_BYTES && !this.isOver(row)) return
        this.forget(object, own, time)
      }
    }
  }

  private drop(object: number, isGone: (row: KeptRow) => boolean): void {
    const own = this.rows.get(object)
    for (const [time, row] of own ?? []) if (isGone(row)) this.forget(object, own!, time)
  }

  private forget(object: number, own: RowsOfObject, time: number): void {
    const row = own.get(time)
    if (row === undefined) return
    own.delete(time)
    this.bytes -= bytesOf(row)
    if (own.size === 0) this.rows.delete(object)
  }
}

function bytesOf({ record }: KeptRow): number {
  return ROW_BYTES + (record?.length ?? 0)
}
