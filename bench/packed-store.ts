import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OBJECT_DEFAULTS } from '../packages/server/src/base/domain/monitored-object.ts'
import { UNSEEN } from '../packages/server/src/base/domain/position/object-state.ts'
import { LAST_TIME } from '../packages/server/src/base/domain/time/time.ts'
import { DATABASE_FILE } from '../packages/server/src/data/sqlite/data-folder.ts'
import { openSqliteStore } from '../packages/server/src/data/sqlite/open.ts'
import type { PositionName } from '../packages/server/src/engine/store/change-log.ts'
import type { Store } from '../packages/server/src/engine/store/store.ts'
import { positionRowEncoder } from '../packages/server/src/read/encode/position-rows.ts'
import { CORPORA } from './block-corpora.ts'

const ORGANIZATION = 1
/** Processor seconds of a measurement. */
const LONG_ENOUGH_S = 1
/** Changes of a page. */
const PAGE_CHANGES = 10_000

type Figures = Record<string, number>

/** A table in Markdown: bytes and processor time of a fleet in a data folder, before and after it is packed. */
export async function measureStore(name: string, folder: string): Promise<string> {
  const store = await openSqliteStore(folder)
  await CORPORA[name]!.fill(store)
  const file = join(folder, DATABASE_FILE)
  const names = namesIn(file)
  const rows = await measure(store, file, names)
  const packing = await seconds(() => packAll(store))
  const blocks = await measure(store, file, names)
  await store.close()
  const lines = Object.keys(rows).map(
    (each) =>
      `| ${each} | ${text(rows[each]!)} | ${text(blocks[each]!)} | ${text(blocks[each]! / rows[each]!)} |`,
  )
  const rate = Math.round(names.length / packing.seconds / 1000)
  return `| | rows | packed | ratio |\n|---|---|---|---|\n${lines.join('\n')}\n\nPacking: ${rate} thousand rows for each second of processor.\n`
}

const text = (value: number) =>
  value < 100 ? value.toFixed(2) : Math.round(value).toLocaleString('en')

async function measure(
  store: Store,
  file: string,
  names: readonly PositionName[],
): Promise<Figures> {
  const objects = [...new Set(names.map(({ object }) => object))]
  const byTime = names.toSorted((a, b) => a.time - b.time)
  const page = byTime.slice(0, PAGE_CHANGES)
  const moment = byTime[byTime.length >> 1]!.time
  const view = <T>(work: Parameters<typeof store.changeLog.view<T>>[1]) =>
    store.changeLog.view(ORGANIZATION, work)
  return {
    'bytes of a position': tableBytes(file) / names.length,
    'history with JSON, µs a row': await perUnit(() => readHistories(store, objects)),
    'history with attributes, without JSON, µs a row': await perUnit(() =>
      readHistories(store, objects, false),
    ),
    'page of changes of all objects, µs a change': await perUnit(async () => {
      await view((each) => each.positions(page))
      return page.length
    }),
    'newest at a moment, µs an object': await perUnit(async () => {
      await view((each) =>
        each.newestIn(objects.map((object) => ({ object, from: 0, to: moment }))),
      )
      return objects.length
    }),
    'rows for a derivation, µs a row': await perUnit(async () => {
      const read = await view((each) => each.rows(objects[0]!, -1, PAGE_CHANGES))
      return read!.length
    }),
  }
}

/**
 * Microseconds of processor for each unit that a call returns: the best call, because other work on the machine makes
 * calls longer. The first call does not count.
 */
async function perUnit(call: () => Promise<number>): Promise<number> {
  await call()
  let [used, best] = [0, Number.POSITIVE_INFINITY]
  while (used < LONG_ENOUGH_S) {
    const done = await seconds(call)
    used += done.seconds
    best = Math.min(best, done.seconds / done.result)
  }
  return best * 1e6
}

async function seconds<T>(call: () => Promise<T>): Promise<{ seconds: number; result: T }> {
  const before = process.cpuUsage()
  const result = await call()
  const { user, system } = process.cpuUsage(before)
  return { seconds: (user + system) / 1e6, result }
}

async function readHistories(store: Store, objects: readonly number[], isEncoded = true) {
  const object = { ...OBJECT_DEFAULTS, id: 1, organization: 1, name: 'a', ident: 'a' }
  const encode = positionRowEncoder({ object, state: UNSEEN } as never, 'km')
  let rows = 0
  for (const object of objects) {
    const range = { from: 0, to: LAST_TIME }
    const { blocks } = await store.positions.history(ORGANIZATION, object, range, null)
    for await (const block of blocks) if (isEncoded) encode(block, { isContinued: true })
    rows += await store.positions.count(ORGANIZATION, object, range, Number.MAX_SAFE_INTEGER)
  }
  return rows
}

async function packAll({ positions }: Store): Promise<void> {
  for (let after: number | null = 0; after !== null; ) {
    after = (await positions.pack(ORGANIZATION, LAST_TIME, after)).next
  }
}

function namesIn(file: string): PositionName[] {
  const database = new DatabaseSync(file, { readOnly: true })
  const rows = database.prepare('SELECT object, time_device AS time FROM positions').all()
  database.close()
  return rows as PositionName[]
}

function tableBytes(file: string): number {
  const database = new DatabaseSync(file, { readOnly: true })
  const { bytes } = database
    .prepare(`
      SELECT sum(pgsize) AS bytes FROM dbstat WHERE name IN (
        SELECT name FROM sqlite_schema WHERE tbl_name IN ('positions', 'position_blocks')
      )`)
    .get()!
  database.close()
  return bytes as number
}
