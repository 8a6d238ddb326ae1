import type { ChangeWatch, WaitingReader } from '../../changes/change-watch.ts'
import { countShares, type Shares } from '../../domain/common/slots.ts'
import {
  type OpenStreams,
  openStreams,
  type StreamCounts,
  type StreamParts,
} from './open-streams.ts'

type Watching = Pick<ChangeWatch, 'wait' | 'leave'>

/** The watch of the process, for readers that must not wait while a listener drains. */
type ReleasableWatch = Watching & {
  isReleased(): boolean
  /** Wakes all readers. Later ones are woken at once. */
  release(): void
}

/** The parts that serve readers of the change log. */
export type ChangeReaders = {
  readonly changeWatch: ReleasableWatch
  readonly pageRoom: PageRoom
  readonly streams: OpenStreams
  readonly sharedPages: SharedPages
  /** The answers of organizations that wait for their turn, or for records. */
  readonly waiting: Shares<number>
}

/** `maxStreams`: of the process. */
export function openChangeReaders(
  changeWatch: Watching,
  parts: StreamParts,
  maxStreams: number,
  counts: StreamCounts,
): ChangeReaders {
  return {
    changeWatch: releasable(changeWatch),
    pageRoom: openPageRoom(ROOM_OF_CHANGES),
    streams: openStreams(maxStreams, parts, counts),
    sharedPages: openSharedPages(),
    waiting: countShares(),
  }
}

/** Answers waiting requests at once, and ends all streams. */
export function releaseReaders({ changeWatch, streams }: ChangeReaders): void {
  changeWatch.release()
  streams.close()
}

function releasable(changeWatch: Watching): ReleasableWatch {
  const waiting = new Set<WaitingReader>()
  let isReleased = false
  return {
    wait(organization, reader) {
      if (isReleased) return queueMicrotask(() => reader.wake())
      waiting.add(reader)
      changeWatch.wait(organization, reader)
    },
    leave(organization, reader) {
      waiting.delete(reader)
      changeWatch.leave(organization, reader)
    },
    isReleased: () => isReleased,
    release() {
      isReleased = true
      for (const reader of waiting) reader.wake()
    },
  }
}

/** The entries that pages hold in memory until clients have taken them. */
export type PageRoom = {
  /** Takes room for at most `wanted` entries. There is always a little. */
  take(organization: number, wanted: number): TakenRoom
}

export type TakenRoom = {
  readonly entries: number
  /** Gives back what is not used. */
  keep(entries: number): void
  free(): void
}

/** The entries of all pages, and of those of one organization. */
type RoomSize = { readonly entries: number; readonly ofOrganization: number }

/** An entry of the change log takes some 80 bytes. */
export const ROOM_OF_CHANGES: RoomSize = { entries: 500_000, ofOrganization: 100_000 }
/** A record or a day takes several times as much. */
export const ROOM_OF_ROWS: RoomSize = { entries: 100_000, ofOrganization: 30_000 }
/** A page has room for at least this many entries. */
const MIN_ENTRIES = 100
/** The pages of an organization may have this many, whatever others hold: as many as a page of changes without `limit`. */
const OWN_ENTRIES = 1_000

/** Without it, clients that read slowly could make a process hold any number of long pages. */
export function openPageRoom(size: RoomSize): PageRoom {
  const taken = countShares<number>()

  return {
    take(organization, wanted) {
      const own = taken.of(organization)
      const free = Math.min(size.entries - taken.sum, size.ofOrganization - own)
      const entries = Math.min(wanted, Math.max(MIN_ENTRIES, OWN_ENTRIES - own, free))
      let reserved = entries
      taken.add(organization, reserved)
      const keep = (used: number) => {
        taken.add(organization, used - reserved)
        reserved = used
      }
      return { entries, keep, free: () => keep(0) }
    },
  }
}

type Read = { room: TakenRoom } | { status: number }

/** Reads a page. Streams with the same cursor, which have the same `key`, read it together. */
type SharedPages = <Made extends Read>(key: string, read: () => Promise<Made>) => Promise<Made>

type Shared = { read: Promise<Read>; readers: number }

function openSharedPages(): SharedPages {
  const pages = new Map<string, Shared>()

  function begin(key: string, read: () => Promise<Read>): Shared {
    const reading = read().finally(() => pages.delete(key))
    const shared: Shared = { read: reading.then((page) => freedByLast(page, shared)), readers: 0 }
    pages.set(key, shared)
    return shared
  }

  return <Made extends Read>(key: string, read: () => Promise<Made>) => {
    const shared = pages.get(key) ?? begin(key, read)
    shared.readers += 1
    return shared.read as Promise<Made>
  }
}

/** The same page, whose room is free when the last reader has freed it. */
function freedByLast(read: Read, shared: Shared): Read {
  if ('status' in read) return read
  const { room } = read
  const free = () => {
    shared.readers -= 1
    if (shared.readers === 0) room.free()
  }
  return { ...read, room: { ...room, free } }
}
