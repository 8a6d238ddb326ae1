import { openOwnFile } from './own-file.ts'
import { replaceFile } from './replace-file.ts'

/** How far a file has come. It is stored after what it tells of, so it never tells of more than there is. */
export type PullState = {
  version: 1
  /** Whose positions they are: the API's versioned base address. */
  url: string
  /** Where the file begins, ISO 8601 UTC. */
  from: string
  /** All up to here has been read once, ISO 8601 UTC. */
  through: string
  /** What the file holds, without the tail of its format. */
  bytes: number
  rows: number
  /** Whether `--raw` was given when the file was begun. Files of the versions before `--raw` lack it, and are raw. */
  raw?: boolean
  /** Whether `--excel` was given then; missing before there was one. */
  excel?: boolean
  /** `times` are all of the file's times that are later than this, ISO 8601 UTC (`seen-times.ts`). */
  timesSince: string
  times: string
}

/** Undefined where there is none. */
export async function readState(path: string): Promise<PullState | undefined> {
  const handle = await openOwnFile(path, 'read').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (handle === undefined) return undefined
  const state = parsed(await handle.readFile('utf8').finally(() => handle.close()))
  if (state?.version !== 1) throw new Error(`${path} is none that this version of pull has written`)
  return state
}

export function writeState(path: string, state: PullState): Promise<void> {
  return replaceFile(path, `${JSON.stringify(state)}\n`)
}

function parsed(text: string): PullState | undefined {
  try {
    return JSON.parse(text) as PullState
  } catch {
    return undefined
  }
}
