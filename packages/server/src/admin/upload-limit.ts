import { countShares } from '../domain/common/slots.ts'
import { busy, type Refused } from '../operator/refused.ts'

/** Files that one process takes at a time. Each takes up to 64 MiB, and as much again while it is read. */
const MAX_UPLOADS = 4
/** A session or token leaves room for others. */
const MAX_UPLOADS_OF_ONE = 2

/** Runs work that holds a file of this session or token. Throws `Refused` if too much such work runs. */
export type Uploads = <Result>(credential: number, work: () => Promise<Result>) => Promise<Result>

export function boundedUploads(): Uploads {
  const running = countShares<number>()

  return async (credential, work) => {
    const own = running.of(credential)
    if (own >= MAX_UPLOADS_OF_ONE || running.sum >= MAX_UPLOADS) throw tooMany(own)
    running.add(credential, 1)
    try {
      return await work()
    } finally {
      running.add(credential, -1)
    }
  }
}

function tooMany(own: number): Refused {
  return busy(
    own >= MAX_UPLOADS_OF_ONE
      ? `you already send ${MAX_UPLOADS_OF_ONE} files, the most at once for one session or token`
      : `${MAX_UPLOADS} files are already being sent, the most at once for one process`,
  )
}
