import type { NewestChange } from '../store/change-log.ts'
import type { Store } from '../store/store.ts'

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

/**
 * Wakes readers of the change log: one for all readers of a process. An organization without readers costs nothing,
 * and one with readers next to nothing where the store reports all changes.
 */
export class ChangeWatch {
  private readonly store: Pick<Store, 'changeLog' | 'watch'>
  private readonly failed: (error: unknown) => void
  private readonly watch: ReturnType<Store['watch']>
  private readonly followed = new Map<number, Followed>()
  /** Organizations that may have newer changes than their readers know. */
  private readonly outdated = new Set<number>()
  private isAsking = false
  private looks: NodeJS.Timeout | undefined

  /** `failed` gets the error if the newest changes could not be read. They are read again. */
  constructor(store: Pick<Store, 'changeLog' | 'watch'>, failed: (error: unknown) => void) {
    this.store = store
    this.failed = failed
    this.watch = store.watch(({ organization }) => {
      this.look(organization)
      this.askIfDue()
    })
  }

  /**
   * Wakes the reader once: when the organization has a change that the reader does not know and that concerns it, or
   * when the organization is deleted.
   */
  wait(organization: number, reader: WaitingReader): void {
    const known = this.followed.get(organization)
    const entry: Followed = known ?? { readers: new Set(), wokenAt: 0, pause: undefined }
    this.followed.set(organization, entry)
    entry.readers.add(reader)
    this.looks ??= setInterval(() => this.lookAtAll(), LOOK_MS)
    // Something may have been committed since the reader looked.
    this.look(organization)
    this.askIfDue()
  }

  /** Forgets a reader that waits no longer, also one that was woken. */
  leave(organization: number, reader: WaitingReader): void {
    this.followed.get(organization)?.readers.delete(reader)
  }

  /** Wakes nobody any more. */
  close(): void {
    this.watch.close()
    clearInterval(this.looks)
    for (const { pause } of this.followed.values()) clearTimeout(pause)
    this.followed.clear()
  }

  private look(organization: number): void {
    const entry = this.followed.get(organization)
    // A reader that begins to wait looks itself.
    if (entry === undefined || entry.readers.size === 0 || entry.pause !== undefined) return
    const pauseMs = entry.wokenAt + PAUSE_MS - performance.now()
    if (pauseMs > 0) {
      entry.pause = setTimeout(() => {
        entry.pause = undefined
        this.look(organization)
        this.askIfDue()
      }, pauseMs)
      return
    }
    this.outdated.add(organization)
  }

  private askIfDue(): void {
    if (this.outdated.size > 0 && !this.isAsking) void this.ask()
  }

  private async ask(): Promise<void> {
    this.isAsking = true
    let asked: number[] = []
    try {
      while (this.outdated.size > 0) {
        asked = [...this.outdated]
        this.outdated.clear()
        for (const [each, newest] of await this.store.changeLog.newest(asked))
          this.wakeAll(each, newest)
      }
    } catch (error) {
      for (const each of asked) this.outdated.add(each)
      this.failed(error)
    } finally {
      this.isAsking = false
    }
  }

  private wakeAll(organization: number, { seq, besidesRecords }: NewestChange): void {
    const entry = this.followed.get(organization)
    for (const reader of entry?.readers ?? []) {
      // A deleted organization has no changes.
      const isDeleted = seq === 0 && reader.known > 0
      const newest = reader.takesRecords ? seq : besidesRecords
      if (reader.known >= newest && !isDeleted) {
        // Otherwise the store would have to look further back each time.
        reader.known = Math.max(reader.known, seq)
        continue
      }
      entry!.wokenAt = performance.now()
      entry!.readers.delete(reader)
      reader.wake()
    }
  }

  /** An organization is forgotten only here, because its readers usually come again at once. */
  private lookAtAll(): void {
    for (const [organization, { readers, pause }] of this.followed) {
      if (readers.size === 0 && pause === undefined) this.followed.delete(organization)
    }
    if (this.followed.size === 0) {
      clearInterval(this.looks)
      this.looks = undefined
      return
    }
    try {
      if (this.watch.reportsAll) this.watch.catchUp()
      else for (const organization of this.followed.keys()) this.look(organization)
    } catch (error) {
      this.failed(error)
    }
    this.askIfDue()
  }
}

/** Resolves when the organization has a change that concerns the reader, after `waitMs`, or when the signal aborts. */
export function untilChanged(
  changeWatch: Pick<ChangeWatch, 'wait' | 'leave'>,
  organization: number,
  { known, takesRecords }: Pick<WaitingReader, 'known' | 'takesRecords'>,
  waitMs: number,
  gone: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(wake, waitMs)
    const reader = { known, takesRecords, wake }
    gone.addEventListener('abort', wake)
    changeWatch.wait(organization, reader)
    function wake(): void {
      clearTimeout(timer)
      gone.removeEventListener('abort', wake)
      changeWatch.leave(organization, reader)
      resolve()
    }
  })
}
