import assert from 'node:assert/strict'
import type { ChangesPage } from '../../../packages/client/src/index.ts'
import { memoryStore } from '../../../packages/client/src/replica/memory-store.ts'
import { pageWrites } from '../../../packages/client/src/replica/page-writes.ts'
import { type ReplicaData, replicaData } from '../../../packages/client/src/replica/replica-data.ts'
import type { Json } from '../harness/fleetgate.ts'
import type { RecordType } from '../harness/following/replica.ts'
import { hasOwnAddress } from './operations/rows.ts'

/** A page that a follower applied, and its clock. */
export type TakenPage = { page: ChangesPage; at: number }

/** The answers with which a copy is compared. */
export type Answers = {
  lists: Record<'objects' | 'geofences' | 'routes' | 'sites', Json[]>
  /** By object. */
  details: ReadonlyMap<number, Json>
  latest: ReadonlyMap<number, Json>
  histories: ReadonlyMap<number, Json[]>
  records: Partial<Record<RecordType, Json[]>>
}

/** Compares the copy that the client's package makes of the same pages. Each page comes twice. */
export async function assertPackageCopy(
  pages: readonly TakenPage[],
  now: number,
  { lists, details, latest, histories, records }: Answers,
): Promise<void> {
  const copy = await copyOf(pages, now)
  for (const kind of ['objects', 'geofences', 'routes', 'sites'] as const) {
    assert.deepEqual(await copy[kind].list(), lists[kind], `${kind} of the client`)
  }
  for (const [id, detail] of details) {
    assert.deepEqual(await copy.objects.get(id), detail, `object ${id} of the client`)
    const [kept] = await copy.positions.latest([id])
    const shown = latest.get(id)!
    const isKept = histories.get(id)?.some(({ time_device }) => time_device === shown.time_device)
    // Without its position, the state of an object has neither the time of the server nor the own address.
    const exempt = isKept ? [] : ['time_server', 'address']
    assertSameRow(kept as Json, shown, exempt, `latest of ${id} of the client`)
  }
  for (const [id, rows] of histories) {
    const kept: Json[] = []
    const ever = { from: '2000-01-01', to: '2099-12-31' }
    for await (const row of copy.positions.history(id, ever)) kept.push(row)
    assert.equal(kept.length, rows.length, `rows of object ${id} of the client`)
    for (const [index, row] of rows.entries()) {
      const about = `object ${id} at ${row.time_device} of the client`
      assertSameRow(kept[index]!, row, [], about)
    }
  }
  for (const [type, rows] of Object.entries(records)) {
    const ever = { from: '2000-01-01', to: '2099-12-31' }
    const all: AsyncIterable<Json> = copy[`${type as RecordType}s`](ever)
    assert.deepEqual(await Array.fromAsync(all), rows, `${type}s of the client`)
  }
}

const OPTIONS = { options: '', hasRecords: true }

async function copyOf(pages: readonly TakenPage[], now: number): Promise<ReplicaData> {
  const store = memoryStore()
  for (const { page, at } of pages.flatMap((each) => [each, each])) {
    const made = pageWrites(page, await store.load(), OPTIONS, at)
    if (made !== undefined) await store.commit(made.writes, made.progress)
  }
  return replicaData(store, () => now)
}

/** An address that is only the last known one is as of delivery. */
function assertSameRow(kept: Json, row: Json, exempt: string[], about: string): void {
  const fields = { ...kept }
  for (const field of exempt) fields[field] = row[field]
  if (!hasOwnAddress(row) && !hasOwnAddress(kept)) fields.address = row.address
  assert.deepEqual(fields, row, about)
}
