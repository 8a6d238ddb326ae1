import { existsSync } from 'node:fs'
import type { Fleetgate } from '../index.ts'
import { type CsvForm, type FormatName, formatOf } from './formats.ts'
import { openGrowingFile } from './growing-file.ts'
import { type PullState, readState, writeState } from './pull-state.ts'
import { seenTimes } from './seen-times.ts'

/** What is to be pulled of one object, and where to. */
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
  /** How far behind what was read the next run looks for positions that came late. */
  lateMs: number
  /** Rows and time that one request may span, where the server sets a maximum. */
  pageSize: number | undefined
  spanMs: number | undefined
  /** Text that waits is written, and what is done so far noted, when there is so much of it. */
  syncBytes: number
  signal: AbortSignal
  /** Called for each row that was read, whether it was new or not. */
  onRow(): void
  /** Called with a sentence about a file that is complete, but needs a look. */
  warn(sentence: string): void
}

/** As much of a client as it takes. */
export type HistorySource = { positions: Pick<Fleetgate['positions'], 'history'> }

/**
 * Adds to an object's file what it does not have yet, and resolves with how many rows that was. Whenever it
 * ends, by an error or by `kill -9`, the next run goes on where this one was. Where an answer breaks off
 * it asks for the rest, which charges 1 more to the object.
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
    // Before the file is there: else a run that is killed between the two would find a stranger's.
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
