import { countShares, type Shares } from '../../base/domain/common/slots.ts'
import type { ChangeWatch, WaitingReader } from '../../engine/changes/change-watch.ts'
import { openPageRoom, type PageRoom, ROOM_OF_CHANGES, type TakenRoom } from '../rows/page-room.ts'
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
