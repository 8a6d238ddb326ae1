import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { lockFolder } from '../files/folder-lock.ts'
import { makeOwnFolder } from '../files/own-file.ts'
import type { FolderOptions } from '../pull-options.ts'
import { openWorkingSet, type WorkingSet } from '../working-set/working-set.ts'

export type OpenFolder = { set: WorkingSet; close(): Promise<void> }

/** The folder in which a pull keeps its own files. */
export const OWN_FOLDER = '.pull'
export const POSITIONS_FOLDER = 'positions'
const SET_FILE = 'copy.db'

/**
 * Opens a folder for one pull. Rejects if another process uses it, if its files are not from a pull, or if they are
 * from one with other settings. `url`: the API's versioned base address.
 */
export async function openFolder(options: FolderOptions, url: string): Promise<OpenFolder> {
  const { out } = options
  const own = join(out, OWN_FOLDER)
  await makeOwnFolder(own)
  const unlock = await lockFolder(join(own, 'lock'))
  try {
    if (!existsSync(join(own, SET_FILE))) refuseForeignFiles(out)
    await makeOwnFolder(join(out, POSITIONS_FOLDER))
    const set = await openWorkingSet(join(own, SET_FILE))
    try {
      checkSettings(set, options, url)
    } catch (error) {
      set.close()
      throw error
    }
    return {
      set,
      async close() {
        set.close()
        await unlock()
      },
    }
  } catch (error) {
    await unlock()
    throw error
  }
}

function refuseForeignFiles(out: string): void {
  const positions = join(out, POSITIONS_FOLDER)
  if (!existsSync(positions) || readdirSync(positions).length === 0) return
  throw new Error(`${positions} has files that are not from a pull: move them elsewhere`)
}

/** The files of a folder have one source and one form. */
function checkSettings(
  set: WorkingSet,
  { out, format, csvForm, timeZone }: FolderOptions,
  url: string,
): void {
  const settings = { url, format, csvForm, timeZone }
  const found = set.notes.get('settings')
  if (found === undefined) {
    set.notes.set('settings', JSON.stringify(settings))
    return
  }
  const before: typeof settings = JSON.parse(found)
  if (before.url !== url) {
    throw new Error(
      `${out} has data of ${before.url}: use another --out. If the server has a new address, the new folder gets everything from it`,
    )
  }
  if (before.format !== format) {
    throw new Error(
      `${out} was started with --format ${before.format}: use the same format, or another --out`,
    )
  }
  if (before.csvForm !== csvForm) {
    throw new Error(
      `${out} was started ${optionOf(before.csvForm)}: run pull ${optionOf(before.csvForm)}, or use another --out`,
    )
  }
  if (before.timeZone !== timeZone) {
    const zone = before.timeZone ?? 'UTC'
    throw new Error(`${out} was started with times of ${zone}: use the same --tz, or another --out`)
  }
}

function optionOf(form: FolderOptions['csvForm']): string {
  return form === 'guarded' ? 'without --raw' : 'with --raw'
}
