import assert from 'node:assert/strict'
import {
  keyOf,
  type RecordDelete,
  type RecordKey,
  type RecordPut,
  type StoredRecord,
} from '../../src/domain/record.ts'
import { packRecord, unpackRecord } from '../../src/domain/record-form.ts'

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

  apply({ puts, deletes }: { puts: RecordPut[]; deletes: RecordDelete[] }): void {
    for (const { id, ...key } of deletes) this.remove(key, id)
    for (const put of puts) this.checkRevision(put)
    for (const put of puts) {
      if (put.storedStart === null) continue
      this.remove({ ...keyOf(put.record), start: put.storedStart }, put.id)
    }
    for (const { id, revision, record, checkpoint } of puts) {
      const name = nameOf(keyOf(record))
      assert.ok(!this.rows.has(name), `${name} is there already`)
      this.rows.set(name, { id, revision, record: unpackRecord(packRecord(record)), checkpoint })
      this.used.add(id)
    }
  }

  private remove(key: RecordKey, id: number): void {
    assert.equal(this.rows.get(nameOf(key))?.id, id, `row of ${nameOf(key)}`)
    this.rows.delete(nameOf(key))
  }

  private checkRevision({ id, revision, record, storedStart, isChanged }: RecordPut): void {
    if (storedStart === null) {
      assert.ok(!this.used.has(id), 'the id of a new record is new')
      assert.deepEqual({ revision, isChanged }, { revision: 1, isChanged: true })
      return
    }
    const stored = this.rows.get(nameOf({ ...keyOf(record), start: storedStart }))!
    const isSame = JSON.stringify(packRecord(stored.record)) === JSON.stringify(packRecord(record))
    assert.equal(isChanged, !isSame)
    assert.equal(revision, stored.revision + Number(isChanged))
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
