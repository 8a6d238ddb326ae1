import type { NewestChange } from '../store/change-log.ts'
import type { Store } from '../store/store.ts'

/**
 * Wakes readers of the change log: one for all readers of a process. An organization without readers costs nothing,
 * and one with readers next to nothing where the store reports all changes.
 */
export type ChangeWatch = {
  /**
   * Wakes the reader once: when the organization has a change that the reader does not know and that concerns it, or
   * when the organization is deleted.
   */
  wait(organization: number, reader: WaitingReader): void
  /** Forgets a reader that waits no longer, also one that was woken. */
  leave(organization: number, reader: WaitingReader): void
  /** Wakes nobody any more. */
  close(): void
}

/** Commits of other processes are found within this time, and a pause: at most 250 ms. */
const LOOK_MS = 180
/** The time between two wakes of an organization, so that changes that come together are read together. */
const PAUSE_MS = 40

export type WaitingReader = {
  /** The number of the newest change that the reader knows, or that does not concern it. */
  known: number
  /** Whether changes of derived records alone concern the reader. */
  readonly takesRecords: boolean
  wake(): void
}

type Followed = { readers: Set<WaitingReader>; wokenAt: number; pause: NodeJS.Timeout | undefined }

/** `failed` gets the error if the newest changes could not be read. They are read again. */
export function openChangeWatch(
  store: Pick<Store, 'changeLog' | 'watch'>,
  failed: (error: unknown) => void,
): ChangeWatch {
  const followed = new Map<number, Followed>()
  /** Organizations that may have newer changes than their readers know. */
  const outdated = new Set<number>()
  let isAsking = false
  let looks: NodeJS.Timeout | undefined
  const watch = store.watch(({ organization }) => {
    look(organization)
    askIfDue()
  })

  function look(organization: number): void {
    const of = followed.get(organization)
    // A reader that begins to wait looks itself.
    if (of === undefined || of.readers.size === 0 || of.pause !== undefined) return
    const pauseMs = of.wokenAt + PAUSE_MS - performance.now()
    if (pauseMs > 0) {
      of.pause = setTimeout(() => {
        of.pause = undefined
        look(organization)
        askIfDue()
      }, pauseMs)
      return
    }
    outdated.add(organization)
  }

  function askIfDue(): void {
    if (outdated.size > 0 && !isAsking) void ask()
  }

  async function ask(): Promise<void> {
    isAsking = true
    let asked: number[] = []
    try {
      while (outdated.size > 0) {
        asked = [...outdated]
        outdated.clear()
        for (const [each, newest] of await store.changeLog.newest(asked)) wakeAll(each, newest)
      }
    } catch (error) {
      for (const each of asked) outdated.add(each)
      failed(error)
    } finally {
      isAsking = false
    }
  }

  function wakeAll(organization: number, { seq, besidesRecords }: NewestChange): void {
    const of = followed.get(organization)
    for (const reader of of?.readers ?? []) {
      // A deleted organization has no changes.
      const isDeleted = seq === 0 && reader.known > 0
      const newest = reader.takesRecords ? seq : besidesRecords
      if (reader.known >= newest && !isDeleted) {
        // Otherwise the store would have to look further back each time.
        reader.known = Math.max(reader.known, seq)
        continue
      }
      of!.wokenAt = performance.now()
      of!.readers.delete(reader)
      reader.wake()
    }
  }

  /** An organization is forgotten only here, because its readers mostly come again at once. */
  function lookAtAll(): void {
    for (const [organization, { readers, pause }] of followed) {
      if (readers.size === 0 && pause === undefined) followed.delete(organization)
    }
    if (followed.size === 0) {
      clearInterval(looks)
      looks = undefined
      return
    }
    try {
      if (watch.reportsAll) watch.catchUp()
      else for (const organization of followed.keys()) look(organization)
    } catch (error) {
      failed(error)
    }
    askIfDue()
  }

  return {
    wait(organization, reader) {
      const of = followed.get(organization) ?? { readers: new Set(), wokenAt: 0, pause: undefined }
      followed.set(organization, of)
      of.readers.add(reader)
      looks ??= setInterval(lookAtAll, LOOK_MS)
      // Something may have been committed since the reader looked.
      look(organization)
      askIfDue()
    },
    leave: (organization, reader) => void followed.get(organization)?.readers.delete(reader),
    close() {
      watch.close()
      clearInterval(looks)
      for (const { pause } of followed.values()) clearTimeout(pause)
      followed.clear()
    },
  }
}
