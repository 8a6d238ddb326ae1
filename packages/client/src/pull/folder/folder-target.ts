import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ReplicaProgress } from '../../replica/replica-store.ts'
import type { Attribute } from '../../types.ts'
import { withAttributes } from '../files/attribute-columns.ts'
import { OBJECTS, POSITIONS } from '../files/kinds.ts'
import { openOutputFile } from '../files/output-file.ts'
import { parquetLibrary } from '../files/parquet.ts'
import { writeTable } from '../files/table-writer.ts'
import { xlsxLibrary } from '../files/workbook.ts'
import { freeMemory } from '../memory.ts'
import type { FolderOptions } from '../pull-options.ts'
import type { PullTarget, Settled, Settling } from '../target.ts'
import { DAY_MS, dateOf, dayOf } from '../working-set/day.ts'
import { recordFiles, type TableOf, writeCatalogue, writeRecords } from './catalogue-files.ts'
import { type OpenFolder, OWN_FOLDER, openFolder, POSITIONS_FOLDER } from './open-folder.ts'
import { positionRows } from './shown-positions.ts'

/** Number of rows after which the writer checks for a stop and frees memory. */
const ROWS_A_TURN = 25_000

export type FolderTargetOptions = FolderOptions & {
  records: boolean
  /** Fetches the attributes that the files contain. Undefined: none. */
  catalogue?: (() => Promise<readonly Attribute[]>) | undefined
}

/** Files in a folder: one for the positions of each day, and one for each kind of item. */
export async function folderTarget(options: FolderTargetOptions, url: string): Promise<PullTarget> {
  // Without the package, a run would fail only after it has read everything and been charged for it.
  if (options.format === 'parquet') await parquetLibrary()
  if (options.format === 'xlsx') await xlsxLibrary()
  const folder = await openFolder(options, url)
  let settling: Promise<unknown> | undefined
  return {
    store: {
      ...folder.set,
      // Writing a day holds a transaction, and `follow` may deliver the next page during that time.
      async commit(writes, progress) {
        await settling
        folder.set.commit(writes, progress)
      },
    },
    settle(signal, onProgress, isThorough) {
      const settled = settle(folder, { ...options, isThorough }, signal, onProgress)
      settling = settled.catch(() => undefined)
      return settled
    },
    close: folder.close,
  }
}

async function settle(
  folder: OpenFolder,
  options: FolderTargetOptions & { isThorough: boolean },
  signal: AbortSignal,
  onProgress: (settling: Settling) => void,
): Promise<Settled> {
  const { set } = folder
  const settled: Settled = { written: [], removed: [] }
  const progress = set.load()
  // Keep the old files: they are more useful than half of the new ones.
  if (progress?.isComplete !== true) return settled
  const { out, format, isThorough } = options
  const write = tableOf(options, signal, onProgress)
  const kinds = kindsOf(options)
  const fileOf = (day: number) => join(POSITIONS_FOLDER, `${dateOf(day)}.${format}`)

  async function remove(day: number): Promise<void> {
    await rm(join(out, fileOf(day)), { force: true })
    set.dropDay(day)
    settled.removed.push(fileOf(day))
  }

  const oldest = oldestDay(progress)
  for (const day of set.days()) if (day < oldest) await remove(day)
  let rowOf: ReturnType<typeof positionRows> | undefined
  for (const day of set.days()) {
    const name = fileOf(day)
    const isSettled = existsSync(join(out, name)) && !set.isChanged(day)
    if (isSettled && !isThorough) continue
    const before = isSettled ? await hashOf(join(out, name)) : undefined
    rowOf ??= positionRows(set, progress.distanceUnit)
    const shown = rowOf
    const { positions } = await kinds()
    const count = await set.settle(day, (rows) => write(name, positions, mapped(rows, shown)))
    if (count === 0) await remove(day)
    else if (before === undefined || (await hashOf(join(out, name))) !== before) {
      settled.written.push(name)
    }
  }
  const items = set.notes.get('items')
  if (items !== undefined && set.notes.get('catalogue') !== items) {
    const names = await writeCatalogue(set, (await kinds()).objects, format, write)
    for (const name of names) settled.written.push(name)
    set.notes.set('catalogue', items)
  }
  await settleRecords(folder, options, write, settled)
  return settled
}

/** The kinds of rows that may have attributes. Asks the server when the first file needs them. */
function kindsOf({ catalogue = async () => [] }: FolderTargetOptions) {
  const load = async () => {
    const attributes = await catalogue()
    return {
      positions: withAttributes(POSITIONS, attributes, false),
      objects: withAttributes(OBJECTS, attributes, true),
    }
  }
  let kinds: ReturnType<typeof load> | undefined
  return () => {
    kinds ??= load()
    return kinds
  }
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file)) hash.update(chunk)
  return hash.digest('hex')
}

async function settleRecords(
  { set }: OpenFolder,
  { out, format, records: hasRecords }: FolderTargetOptions,
  write: TableOf,
  settled: Settled,
): Promise<void> {
  const [records, written = ''] = [set.notes.get('records') ?? '', set.notes.get('record files')]
  const wanted = hasRecords ? records : ''
  if (wanted === written) return
  if (hasRecords) {
    for (const name of await writeRecords(set, format, write)) settled.written.push(name)
  } else {
    for (const name of recordFiles(format)) {
      await rm(join(out, name), { force: true })
      settled.removed.push(name)
    }
  }
  set.notes.set('record files', wanted)
}

function* mapped<From, To>(all: Iterable<From>, map: (each: From) => To): Generator<To> {
  for (const each of all) yield map(each)
}

/** The oldest day that is not completely before the retention. */
function oldestDay({ retentionDays }: ReplicaProgress): number {
  if (retentionDays === null) return 0
  return dayOf(Math.max(0, Date.now() - retentionDays * DAY_MS))
}

/** Returns a function that writes a whole file and then replaces the previous version. */
function tableOf(
  options: FolderOptions,
  signal: AbortSignal,
  onProgress: (settling: Settling) => void,
): TableOf {
  const { out } = options

  async function* paced<Row>(name: string, rows: Iterable<Row | undefined>): AsyncGenerator<Row> {
    let count = 0
    for (const row of rows) {
      if (row === undefined) continue
      yield row
      count += 1
      if (count % ROWS_A_TURN > 0) continue
      onProgress({ file: name, rows: count })
      freeMemory()
      await nextTurn()
      signal.throwIfAborted()
    }
  }

  return async (name, kind, rows) => {
    const file = await openOutputFile(join(out, name), join(out, OWN_FOLDER, 'next'))
    try {
      const sheet = parse(name).name
      await writeTable({ name: sheet, kind }, options, file, paced(name, rows))
    } catch (error) {
      await file.abandon()
      throw error
    }
    await file.finish()
  }
}
