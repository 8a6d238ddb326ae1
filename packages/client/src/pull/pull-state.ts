import { openOwnFile } from './own-file.ts'
import { replaceFile } from './replace-file.ts'

/**
 * The progress of a file. It is stored after the rows it describes, so it never describes more than the
 * file holds.
 */
export type PullState = {
  version: 1
  /** The API's versioned base address from which the positions come. */
  url: string
  /** The beginning of the file's range, ISO 8601 UTC. */
  from: string
  /** Everything up to here has been read once, ISO 8601 UTC. */
  through: string
  /** Bytes of the file without the tail of its format. */
  bytes: number
  rows: number
  /**
   * Whether the file was begun with `--raw`. Missing in files of versions before `--raw`, which are raw.
   */
  raw?: boolean
  /** Whether the file was begun with `--excel`. Missing before that option existed. */
  excel?: boolean
  /** `times` holds all of the file's times later than this, ISO 8601 UTC (`seen-times.ts`). */
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
  if (state?.version !== 1) throw new Error(`${path} was not written by this version of pull`)
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
