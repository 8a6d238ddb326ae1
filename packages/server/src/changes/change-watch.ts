import type { NewestChange } from '../store/change-log.ts'
import type { Store } from '../store/store.ts'

/** Wakes readers of the change log. An organization without readers costs nothing. */
export type ChangeWatch = {
  /**
   * Wakes the reader once: when the organization has a change that the reader does not know and that concerns it,
   * when the organization is deleted, or when the watch closes.
   */
  wait(organization: number, reader: WaitingReader): void
  /** Forgets a reader that waits no longer. */
  leave(organization: number, reader: WaitingReader): void
  isClosed(): boolean
  /** Wakes all readers. Later ones are woken at once. */
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
  let isClosed = false
  let looks: NodeJS.Timeout | undefined
  const watch = store.watch(({ organization }) => look(organization))

  function look(organization: number): void {
    const of = followed.get(organization)
    // A reader that begins to wait looks itself.
    if (of === undefined || of.readers.size === 0 || of.pause !== undefined) return
    const pauseMs = of.wokenAt + PAUSE_MS - performance.now()
    if (pauseMs > 0) {
      of.pause = setTimeout(() => {
        of.pause = undefined
        look(organization)
      }, pauseMs)
      return
    }
    outdated.add(organization)
    if (!isAsking) void ask()
  }

  async function ask(): Promise<void> {
    isAsking = true
    try {
      while (outdated.size > 0) {
        const organizations = [...outdated]
        outdated.clear()
        for (const [each, newest] of await store.changeLog.newest(organizations))
          wakeAll(each, newest)
      }
    } catch (error) {
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
      if (readers.size > 0) look(organization)
      else if (pause === undefined) followed.delete(organization)
    }
    if (followed.size > 0) return
    clearInterval(looks)
    looks = undefined
  }

  return {
    wait(organization, reader) {
      if (isClosed) return queueMicrotask(() => reader.wake())
      const of = followed.get(organization) ?? { readers: new Set(), wokenAt: 0, pause: undefined }
      followed.set(organization, of)
      of.readers.add(reader)
      looks ??= setInterval(lookAtAll, LOOK_MS)
      // Something may have been committed since the reader looked.
      look(organization)
    },
    leave: (organization, reader) => void followed.get(organization)?.readers.delete(reader),
    isClosed: () => isClosed,
    close() {
      isClosed = true
      watch.close()
      clearInterval(looks)
      for (const { readers, pause } of followed.values()) {
        clearTimeout(pause)
        for (const reader of readers) reader.wake()
      }
      followed.clear()
    },
  }
}
