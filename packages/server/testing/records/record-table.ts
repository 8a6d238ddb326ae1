import assert from 'node:assert/strict'
import {
  keyOf,
  type OpenRecord,
  type RecordKey,
  type RecordPut,
  type StoredRecord,
} from '../../src/base/domain/record.ts'
import { packRecord, unpackRecord } from '../../src/base/domain/record-form.ts'
import type { Derived, Progress } from '../../src/engine/journeys/rules/progress.ts'
import { tailOf } from '../../src/engine/journeys/rules/progress-form.ts'

const nameOf = ({ kind, start, place }: RecordKey) => `${kind} ${start} ${place}`

/** The records of one object as a store keeps them. It refuses writes that do not fit. */
export class RecordTable {
  private readonly rows = new Map<string, StoredRecord>()
  private readonly used = new Set<number>()
  private lastId = 0

  nextId(): number {
    this.lastId += 1
    return this.lastId
  }

  apply({ puts, deletes, progress }: Pick<Derived, 'puts' | 'deletes' | 'progress'>): void {
    const open = progress === null ? [] : tailOf(progress).open
    for (const { id, until, ...key } of deletes) {
      assert.equal(this.rows.get(nameOf(key))?.record.until, until)
      this.remove(key, id)
    }
    for (const put of puts) this.checkRevision(put)
    for (const put of puts) if (put.isInTail) this.checkOpen(put, open)
    for (const put of puts) {
      if (put.before === null) continue
      this.remove({ ...keyOf(put.record), start: put.before.start }, put.id)
    }
    for (const { id, revision, updatedAt, record, checkpoint } of puts) {
      const name = nameOf(keyOf(record))
      assert.ok(!this.rows.has(name), `${name} is there already`)
      const copy = unpackRecord(packRecord(record))
      this.rows.set(name, { id, revision, updatedAt, record: copy, checkpoint })
      this.used.add(id)
    }
  }

  private remove(key: RecordKey, id: number): void {
    assert.equal(this.rows.get(nameOf(key))?.id, id, `row of ${nameOf(key)}`)
    this.rows.delete(nameOf(key))
  }

  private checkRevision({ id, revision, record, before, isChanged }: RecordPut): void {
    if (before === null) {
      assert.ok(!this.used.has(id), 'the id of a new record is new')
      assert.deepEqual({ revision, isChanged }, { revision: 1, isChanged: true })
      return
    }
    const stored = this.rows.get(nameOf({ ...keyOf(record), start: before.start }))!
    assert.equal(before.until, stored.record.until)
    const isSame = JSON.stringify(packRecord(stored.record)) === JSON.stringify(packRecord(record))
    assert.equal(isChanged, !isSame)
    assert.equal(revision, stored.revision + Number(isChanged))
  }

  /** A store does not write the row of such a record: only the tail has what changed. */
  private checkOpen(
    { id, revision, updatedAt, record, checkpoint, before }: RecordPut,
    open: readonly OpenRecord[],
  ): void {
    const stored = this.rows.get(nameOf(keyOf(record)))!
    assert.deepEqual([record.end, stored.record.end, before?.start], [null, null, record.start])
    assert.deepEqual(checkpoint, stored.checkpoint)
    const { fields } = packRecord(record)
    assert.deepEqual(
      open.find((each) => each.id === id),
      { id, revision, updatedAt, fields },
    )
  }

  /** Open records are in their rows as they are, or in the tail. */
  checkTail(progress: Progress | null): void {
    for (const { id, revision, updatedAt, fields } of progress === null
      ? []
      : tailOf(progress).open) {
      const stored = this.all().find((each) => each.id === id)!
      assert.deepEqual(
        { revision, updatedAt, fields },
        {
          ...{ revision: stored.revision, updatedAt: stored.updatedAt },
          fields: packRecord(stored.record).fields,
        },
      )
      assert.equal(stored.record.end, null)
    }
  }

  all(): StoredRecord[] {
    return [...this.rows.values()]
  }

  stopBefore(time: number): StoredRecord | null {
    const stops = this.all().filter(
      ({ record, checkpoint }) => record.start < time && checkpoint !== null,
    )
    return stops.sort((a, b) => b.record.start - a.record.start)[0] ?? null
  }

  recordsFrom(time: number): StoredRecord[] {
    return this.all().filter(({ record: { end } }) => end === null || end >= time)
  }
}
