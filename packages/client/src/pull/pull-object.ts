import { existsSync } from 'node:fs'
import type { Fleetgate } from '../index.ts'
import { type CsvForm, type FormatName, formatOf } from './formats.ts'
import { openGrowingFile } from './growing-file.ts'
import { type PullState, readState, writeState } from './pull-state.ts'
import { seenTimes } from './seen-times.ts'

/** The object to pull, and its file. */
export type ObjectPull = {
  id: number
  file: string
  stateFile: string
  format: FormatName
  csvForm: CsvForm
  /** The API's versioned base address. */
  url: string
  /** Both included, in milliseconds. */
  from: number
  to: number
  /** How far back the next run looks again for late positions. */
  lateMs: number
  /** The largest number of rows and the longest range of one request, if the server limits them. */
  pageSize: number | undefined
  spanMs: number | undefined
  /** Buffered text is written, and the progress noted, when it reaches this size. */
  syncBytes: number
  signal: AbortSignal
  /** Called for each row read, whether it is new or not. */
  onRow(): void
  /** Called with a sentence about a complete file that needs attention. */
  warn(sentence: string): void
}

/** The part of a client that is used here. */
export type HistorySource = { positions: Pick<Fleetgate['positions'], 'history'> }

/**
 * Adds the missing rows to an object's file. Resolves with their number. After an error or `kill -9`, the
 * next run continues where this one ended. If an answer breaks off, the rest is asked for, which charges
 * 1 more to the object.
 */
export async function pullObject(client: HistorySource, pull: ObjectPull): Promise<number> {
  const begun = await stateOf(pull)
  let { rows } = begun
  let through = Date.parse(begun.through)
  let timesSince = Date.parse(begun.timesSince)
  const seen = seenTimes(begun.times)
  const csvForm = csvFormOf(begun)
  const format = formatOf(pull.format, csvForm)
  if (pull.format === 'csv' && csvForm === 'raw' && pull.csvForm === 'guarded') {
    pull.warn(
      `${pull.file} was begun with --raw or by an older version, and goes on with formulas in it: give --raw, or take another --out`,
    )
  }
  const file = await openGrowingFile(pull.file, begun.bytes, format.tail)
  if (begun.bytes === 0) file.add(format.head)

  async function keep(): Promise<void> {
    await file.sync()
    timesSince = Math.max(timesSince, through - pull.lateMs)
    await writeState(pull.stateFile, {
      ...begun,
      through: isoOf(through),
      bytes: file.bytes(),
      rows,
      timesSince: isoOf(timesSince),
      times: seen.save(timesSince),
    })
  }

  let at = Math.max(through - pull.lateMs, timesSince) + 1

  async function readTo(end: number): Promise<void> {
    const { pageSize, signal } = pull
    const range = { from: new Date(at), to: new Date(end), pageSize, resume: true, signal }
    for await (const row of client.positions.history(pull.id, range)) {
      const time = Date.parse(row.time_device)
      if (seen.isNew(time)) {
        file.add(format.row(row, rows === 0))
        rows += 1
      }
      through = Math.max(through, time)
      pull.onRow()
      if (file.waiting() >= pull.syncBytes) await keep()
    }
    at = end + 1
    through = Math.max(through, end)
  }

  try {
    while (at <= pull.to) {
      await readTo(Math.min(pull.to, at + (pull.spanMs ?? Number.POSITIVE_INFINITY) - 1))
    }
  } finally {
    try {
      await keep()
    } finally {
      await file.close()
    }
  }
  return rows - begun.rows
}

async function stateOf(pull: ObjectPull): Promise<PullState> {
  const { file, stateFile, url, from } = pull
  const found = await readState(stateFile)
  if (found === undefined) {
    if (existsSync(file)) throw new Error(`${file} is there, but not from a pull: move it away`)
    const before = isoOf(from - 1)
    const times = { timesSince: before, times: '' }
    const form = { raw: pull.csvForm === 'raw', excel: pull.csvForm === 'excel' }
    const none = { bytes: 0, rows: 0, ...form, ...times }
    const state: PullState = { version: 1, url, from: isoOf(from), through: before, ...none }
    // Note it before the file exists: otherwise a run killed in between would leave an unknown file.
    await writeState(stateFile, state)
    return state
  }
  if (found.url !== url) {
    throw new Error(
      `${file} is from ${found.url}: take another --out, or, where that has moved, change url in ${stateFile}`,
    )
  }
  if (from < Date.parse(found.from)) {
    throw new Error(
      `${file} begins at ${found.from}, later than the run was to begin: give --from ${found.from} as before, or take another --out`,
    )
  }
  const { csvForm } = pull
  if (csvForm !== 'guarded' && csvForm !== csvFormOf(found)) {
    throw new Error(
      `${file} was begun without --${csvForm}: a file has one form. Leave --${csvForm} out, or take another --out`,
    )
  }
  return found
}

function csvFormOf({ raw = true, excel = false }: PullState): CsvForm {
  if (excel) return 'excel'
  return raw ? 'raw' : 'guarded'
}

function isoOf(time: number): string {
  return new Date(time).toISOString()
}
