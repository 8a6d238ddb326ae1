import { existsSync, readFileSync } from 'node:fs'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { passedOn } from '../base/domain/common/passed-on.ts'
import {
  type ErasureLine,
  erasureName,
  readErasureLine,
  writeErasureLine,
} from '../base/domain/erasure-line.ts'
import { newErasures } from '../engine/store/position-store.ts'
import { type Store, StoreUnavailable } from '../engine/store/store.ts'
import { deploymentName, eraseAgain, erasureLines } from '../work/erasure-lines.ts'
import { say } from './failure.ts'

/*
 * The file of deleted ranges beside a data folder. A backup that is put into the place of the folder does not bring back
 * what was deleted since.
 */

const FILE = 'erasures.ndjson'

/** `FLEETGATE_ERASURES` names another place, where a service may not write beside its folder. */
function fileOf(dataFolder: string): string {
  return process.env.FLEETGATE_ERASURES || join(dirname(resolve(dataFolder)), FILE)
}

/**
 * The store of a data folder, after the ranges of the file that the folder does not have were deleted. Its deletions go
 * into the file first. A file that cannot be written refuses them alone: a command that deletes nothing says so, and does
 * its work.
 */
export async function withErasureFile(store: Store, dataFolder: string): Promise<Store> {
  const file = fileOf(dataFolder)
  const lines = linesOf(file)
  const stored = await erasureLines(store)
  await eraseAgain(store, lines, stored)
  const named = new Set(lines.map(erasureName))
  const missing = stored.filter((each) => !named.has(erasureName(each)))
  if (missing.length > 0) {
    await append(file, missing).catch((error: StoreUnavailable) => say(error.message))
  }
  const { positions } = store
  return {
    ...store,
    positions: {
      ...passedOn(
        positions,
        ['appendSize', 'append', 'rejects', 'address', 'history', 'count', 'states', 'forgetNames'],
        ['requestRefold', 'refold', 'requestNewRules', 'waitingForRefold', 'moveSlice'],
        ['eraseSlice', 'erasures', 'storedIn'],
        ['purgeExpired', 'makeRoom', 'pack', 'packingCounts', 'checkBlocks'],
      ),
      async erase(organization, object, what, now, note) {
        // A deletion that the store refuses is in no file.
        const owner = await store.objects.find(organization, object)
        if (owner === null) return null
        const known = await positions.erasures(organization, object)
        if (newErasures(known, what) === undefined) return 'too_many'
        const deployment = await deploymentName(store)
        const { createdAt } = owner
        const { ranges, attribute = null } = what
        const whose = { deployment, organization, object, createdAt, attribute }
        await append(
          file,
          ranges.map(({ from, to }) => ({ ...whose, from, to, erasedAt: now })),
        )
        return positions.erase(organization, object, what, now, note)
      },
    },
  }
}

function linesOf(file: string): ErasureLine[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n').map(readErasureLine)
  return lines.filter((line) => line !== null)
}

async function append(file: string, lines: readonly ErasureLine[]): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    const handle = await open(file, 'a+', 0o600)
    try {
      const text = lines.map(writeErasureLine).join('')
      await handle.appendFile(`${await breakBefore(handle)}${text}`)
      await handle.sync()
    } finally {
      await handle.close()
    }
  } catch (error) {
    throw new StoreUnavailable(
      `The file ${file} of deleted ranges cannot be written: ${(error as Error).message}. FLEETGATE_ERASURES names another place.`,
      { cause: error },
    )
  }
}

/** The text before new lines: an append that was cut off left no line break. */
async function breakBefore(handle: FileHandle): Promise<string> {
  const { size } = await handle.stat()
  if (size === 0) return ''
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1)
  return buffer.toString() === '\n' ? '' : '\n'
}
